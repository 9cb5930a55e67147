/** All commands that are built in and concern the session. */
import type { SessionCommand } from "../command.ts";
import { builtinPromptRows } from "../found.ts";
import { agents } from "./agents.ts";
import { ask, btw } from "./beside.ts";
import { diff, review } from "./changes.ts";
import { commit } from "./commit.ts";
import { clear, compact, context, handoff } from "./context.ts";
import { debug, doctor, feedback } from "./diagnosis.ts";
import { cost, session, status, usage } from "./facts.ts";
import { addDir, dump, exportSession, remember } from "./files.ts";
import { permissions, tools } from "./grants.ts";
import { jobs } from "./jobs.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { model, scopedModels, thinking } from "./models.ts";
import { branch, clone, fork, importSession, newSession, resume } from "./moves.ts";
import { label, name } from "./naming.ts";
import { commandList, share, skills } from "./resources.ts";
import { sandbox } from "./sandbox.ts";
import { browser, debuggerCommand, lsp, machine } from "./services.ts";
import { hooks, reload, settings, trust } from "./setup.ts";
import { todo } from "./todo.ts";
import { rewind, tree } from "./tree.ts";
import { goal, mode, plan, retry } from "./work.ts";

export const rows: readonly SessionCommand[] = [
	newSession,
	name,
	session,
	status,
	retry,
	clear,
	reload,
	doctor,
	debug,
	model,
	scopedModels,
	ask,
	thinking,
	settings,
	resume,
	tree,
	branch,
	fork,
	clone,
	importSession,
	rewind,
	label,
	compact,
	handoff,
	commit,
	review,
	plan,
	goal,
	context,
	memory,
	remember,
	btw,
	cost,
	usage,
	exportSession,
	dump,
	diff,
	todo,
	agents,
	jobs,
	debuggerCommand,
	browser,
	tools,
	lsp,
	machine,
	mcp,
	skills,
	commandList,
	trust,
	hooks,
	mode,
	permissions,
	sandbox,
	addDir,
	...builtinPromptRows,
	feedback,
	share,
];
