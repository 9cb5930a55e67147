/** All commands that are built in. */
import type { SlashCommand } from "./command.ts";
import { ask, btw } from "./beside.ts";
import { browser } from "./browser.ts";
import { changelog } from "./changelog.ts";
import { clear } from "./clear.ts";
import { compact } from "./compact.ts";
import { commit } from "./commit.ts";
import { goal } from "./goal.ts";
import { plan } from "./plan.ts";
import { review } from "./review.ts";
import { handoff } from "./handoff.ts";
import { context } from "./context.ts";
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
import { promptCommands } from "./init.ts";
import { retry } from "./retry.ts";
import { scopedModels } from "./scoped-models.ts";
import { status } from "./status.ts";
import { branch, fork } from "./fork.ts";
import { help } from "./help.ts";
import { hotkeys } from "./hotkeys.ts";
import { jobs } from "./jobs.ts";
import { label } from "./label.ts";
import { share } from "./later.ts";
import { lsp } from "./lsp.ts";
import { machine } from "./machine.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { remember } from "./remember.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { mode } from "./mode.ts";
import { model } from "./model.ts";
import { name } from "./name.ts";
import { newSession } from "./new.ts";
import { permissions } from "./permissions.ts";
import { reload } from "./reload.ts";
import { resume } from "./resume.ts";
import { rewind } from "./rewind.ts";
import { sandbox } from "./sandbox.ts";
import { session } from "./session.ts";
import { settings } from "./settings.ts";
import { theme } from "./theme.ts";
import { thinking } from "./thinking.ts";
import { todo } from "./todo.ts";
import { tools } from "./tools.ts";
import { tree } from "./tree.ts";
import { trust } from "./trust.ts";

export const commands: readonly SlashCommand[] = [
	help,
	hotkeys,
	newSession,
	name,
	session,
	status,
	copy,
	find,
	retry,
	theme,
	clear,
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
	mode,
	permissions,
	sandbox,
	addDir,
	...promptCommands,
	feedback,
	changelog,
	share,
	detach,
	exit,
];
