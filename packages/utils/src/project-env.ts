/**
 * The variables that a trusted project's `.env` may set for Tau, besides keys that the user has allowed individually.
 */
import { envNames } from "./env.ts";

/**
 * A variable is on this list if no value of it can do more than switch something off: no request goes elsewhere, no
 * code runs, no file is written, nothing costs more. Only the user may set the others (docs/environment.md).
 */
const harmless: ReadonlySet<string> = new Set([
	"TAU_NO_TITLE",
	"TAU_NO_BROWSER",
	"TAU_NO_INTERLEAVED_THINKING",
]);

/** The three prefixes are equivalent: `OMP_NO_TITLE` and `PI_NO_TITLE` are `TAU_NO_TITLE`. */
export function isHarmlessVariable(name: string): boolean {
	return harmless.has(envNames(name)[0] ?? name);
}
