/** Writes docs/matrix.md from the rows and clients of test/matrix. */
import { writePage } from "./write-page.ts";

process.exitCode = await writePage("test/matrix/page.ts", "matrixPage", "docs/matrix.md");
