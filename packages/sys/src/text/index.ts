/** Text in terminal cells. */
export { graphemes, type Grapheme } from "./graphemes.ts";
export { plainStyle, type Style } from "./pen.ts";
export { expandTabs, sliceByColumn, stripAnsi, truncateToWidth, visibleWidth } from "./width.ts";
export { wrapTextWithAnsi } from "./wrap.ts";
