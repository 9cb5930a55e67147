/** All commands that are built in. */
import type { SlashCommand } from "./command.ts";
import { clear } from "./clear.ts";
import { copy } from "./copy.ts";
import { debug } from "./debug.ts";
import { exit } from "./exit.ts";
import { help } from "./help.ts";
import { hotkeys } from "./hotkeys.ts";
import { name } from "./name.ts";
import { newSession } from "./new.ts";
import { reload } from "./reload.ts";
import { session } from "./session.ts";
import { theme } from "./theme.ts";

export const commands: readonly SlashCommand[] = [
	help,
	hotkeys,
	newSession,
	name,
	session,
	copy,
	theme,
	clear,
	reload,
	debug,
	exit,
];
