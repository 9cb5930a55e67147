/** True when a user is at a terminal and no other mode is requested. */
import { isTerminal } from "@tau/utils";

import type { Args } from "../args.ts";

const printing = ["print", "mode", "output-format", "input-format"] as const;

export function isInteractive({ flags }: Args): boolean {
	if (printing.some((name) => flags.has(name))) return false;
	return isTerminal("stdin") && isTerminal("stdout");
}
