/** Whether a person sits at the other end: on a terminal, unless another mode is asked for. */
import type { Args } from "../args.ts";

export function isInteractive({ flags }: Args): boolean {
	if (flags.has("print") || flags.has("mode")) return false;
	return process.stdin.isTTY && process.stdout.isTTY;
}
