/** What extensions get when they import omp's package of small functions. */
import { fileExports } from "./utils/files.ts";
import { surroundingExports } from "./utils/surroundings.ts";
import { waitingExports } from "./utils/waiting.ts";
import { wordExports } from "./utils/words.ts";

export function utilsExports(): Record<string, unknown> {
	return { ...fileExports, ...surroundingExports, ...waitingExports, ...wordExports };
}
