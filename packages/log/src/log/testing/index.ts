/** Session files for tests of other packages. */
export { answered, chain, entry, folder, contextTexts, linesOf, said, type Folder } from "./sample.ts";
