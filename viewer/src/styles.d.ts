// SPDX-License-Identifier: BSD-3-Clause
//
// esbuild puts imported styles into page.css.
declare module '*.css';
