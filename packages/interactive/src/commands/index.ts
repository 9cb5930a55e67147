/** All commands that are built in, in the order in which `/help` lists them. */
import { builtinPromptRows } from "@tau/session-commands";
import {
	commit,
	clear,
	compact,
	handoff,
	debug,
	feedback,
	session,
	status,
	addDir,
	remember,
	clone,
	importSession,
	newSession,
	comment,
	label,
	name,
	record,
	schedule,
	share,
	unshare,
	outputStyle,
	reload,
	trust,
	goal,
	mode,
	plan,
	retry,
	fleet,
	task,
	worktree,
} from "@tau/session-commands/rows";
import { agents } from "./agents.ts";
import { ask, btw } from "./side-questions.ts";
import { changelog } from "./changelog.ts";
import { collab, exportSession, join, leave } from "./collab.ts";
import { context, permissions, scopedModels, thinking, tools } from "./choices.ts";
import type { SlashCommand } from "./command.ts";
import { copy } from "./copy.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { dump } from "./dump.ts";
import { cd, detach, exit } from "./exit.ts";
import { find } from "./find.ts";
import { branch, fork } from "./fork.ts";
import { help } from "./help.ts";
import { hotkeys } from "./hotkeys.ts";
import { ide } from "./ide.ts";
import { jobs } from "./jobs.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { model } from "./model.ts";
import { onScreen } from "./on-screen.ts";
import { browser, cost, debuggerCommand, hooks, lsp, machine, stats, usage } from "./reports.ts";
import { commandList, skills } from "./resources.ts";
import { resume } from "./resume.ts";
import { review } from "./review.ts";
import { sandbox } from "./sandbox.ts";
import { settings } from "./settings.ts";
import { theme } from "./theme.ts";
import { todo } from "./todo.ts";
import { rewind, tree } from "./tree.ts";

export const commands: readonly SlashCommand[] = [
	help,
	hotkeys,
	onScreen(newSession),
	onScreen(name),
	onScreen(session),
	onScreen(status),
	copy,
	find,
	onScreen(retry),
	theme,
	onScreen(clear),
	onScreen(reload),
	doctor,
	onScreen(debug),
	model,
	scopedModels,
	ask,
	thinking,
	settings,
	onScreen(outputStyle),
	login,
	logout,
	resume,
	tree,
	branch,
	fork,
	onScreen(clone),
	onScreen(importSession),
	rewind,
	onScreen(label),
	onScreen(comment),
	onScreen(compact),
	onScreen(handoff),
	onScreen(commit),
	onScreen(worktree),
	review,
	onScreen(plan),
	onScreen(goal),
	context,
	memory,
	onScreen(remember),
	btw,
	cost,
	usage,
	stats,
	exportSession,
	dump,
	diff,
	todo,
	agents,
	onScreen(task),
	onScreen(fleet),
	jobs,
	onScreen(schedule),
	debuggerCommand,
	browser,
	tools,
	lsp,
	ide,
	machine,
	mcp,
	skills,
	commandList,
	onScreen(trust),
	hooks,
	onScreen(mode),
	permissions,
	sandbox,
	onScreen(addDir),
	...builtinPromptRows.map((row) => onScreen(row)),
	onScreen(feedback),
	changelog,
	onScreen(share),
	onScreen(record),
	onScreen(unshare),
	collab,
	join,
	leave,
	cd,
	detach,
	exit,
];
