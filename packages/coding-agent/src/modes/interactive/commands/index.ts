/** All commands that are built in. */
import { commit } from "../../../session-commands/rows/commit.ts";
import { clear, compact, handoff } from "../../../session-commands/rows/context.ts";
import { label, name } from "../../../session-commands/rows/naming.ts";
import { goal, mode, plan, retry } from "../../../session-commands/rows/work.ts";
import { context, scopedModels, thinking } from "./choices.ts";
import type { SlashCommand } from "./command.ts";
import { drawReply, onScreen } from "./on-screen.ts";
import { goalLine } from "../status-model.ts";
import { ask, btw } from "./beside.ts";
import { browser } from "./browser.ts";
import { changelog } from "./changelog.ts";
import { review } from "./review.ts";
import { copy } from "./copy.ts";
import { cost } from "./cost.ts";
import { usage } from "./usage.ts";
import { debug } from "./debug.ts";
import { debuggerCommand } from "./debugger.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { dump } from "./dump.ts";
import { detach, exit } from "./exit.ts";
import { exportCommand } from "./export.ts";
import { commandList, skills } from "./resources.ts";
import { addDir } from "./add-dir.ts";
import { agents } from "./agents.ts";
import { clone } from "./clone.ts";
import { find } from "./find.ts";
import { feedback } from "./feedback.ts";
import { hooks } from "./hooks.ts";
import { importCommand } from "./import.ts";
import { builtinPromptRows } from "../../../session-commands/found.ts";
import { status } from "./status.ts";
import { branch, fork } from "./fork.ts";
import { help } from "./help.ts";
import { hotkeys } from "./hotkeys.ts";
import { jobs } from "./jobs.ts";
import { share } from "./later.ts";
import { lsp } from "./lsp.ts";
import { machine } from "./machine.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { remember } from "./remember.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { model } from "./model.ts";
import { newSession } from "./new.ts";
import { permissions } from "./permissions.ts";
import { reload } from "./reload.ts";
import { resume } from "./resume.ts";
import { rewind } from "./rewind.ts";
import { sandbox } from "./sandbox.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { theme } from "./theme.ts";
import { todo } from "./todo.ts";
import { tools } from "./tools.ts";
import { tree } from "./tree.ts";
import { trust } from "./trust.ts";

export const commands: readonly SlashCommand[] = [
	help,
	hotkeys,
	newSession,
	onScreen(name),
	session,
	status,
	copy,
	find,
	onScreen(retry),
	theme,
	onScreen(clear),
	reload,
	doctor,
	debug,
	model,
	scopedModels,
	ask,
	thinking,
	settings,
	login,
	logout,
	resume,
	tree,
	branch,
	fork,
	clone,
	importCommand,
	rewind,
	onScreen(label),
	onScreen(compact),
	onScreen(handoff),
	onScreen(commit),
	review,
	onScreen(plan),
	onScreen(goal, {
		draw(reply, host) {
			host.status("goal", goalLine(host.sessionHost.work.goal));
			drawReply(reply, host);
		},
	}),
	context,
	memory,
	remember,
	btw,
	cost,
	usage,
	exportCommand,
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
	onScreen(mode),
	permissions,
	sandbox,
	addDir,
	...builtinPromptRows.map((row) => onScreen(row)),
	feedback,
	changelog,
	share,
	detach,
	exit,
];
