/** True when a user is at a terminal and no other mode is requested. */
import { isTerminal } from "@tau/utils";

import type { Args } from "../args.ts";

export function isInteractive({ flags }: Args): boolean {
	if (flags.has("print") || flags.has("mode")) return false;
	return isTerminal("stdin") && isTerminal("stdout");
}
