/** Formats numbers so that they are easy to read at a glance. */
import { elapsed } from "@tau/utils";

export { elapsed, money, plural, tokens } from "@tau/utils";

/** Tenths are shown only below ten seconds, where they are informative. */
export function duration(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : elapsed(ms);
}
