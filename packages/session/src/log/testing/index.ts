/** Session files for tests of other packages. */
export { answered, chain, entry, folder, heard, linesOf, said, type Folder } from "./sample.ts";
