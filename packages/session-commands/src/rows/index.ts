/** All commands that are built in and concern the session. */
import type { SessionCommand } from "../command.ts";
import { builtinPromptRows } from "../found.ts";
import { agents } from "./agents.ts";
import { ask, btw } from "./side-questions.ts";
import { diff, review } from "./changes.ts";
import { collab, leave } from "./collab.ts";
import { commit } from "./commit.ts";
import { clear, compact, context, handoff } from "./context.ts";
import { debug, doctor, feedback } from "./diagnosis.ts";
import { cost, session, status, usage } from "./facts.ts";
import { fleet, task } from "./fleet.ts";
import { addDir, dump, exportSession, remember } from "./files.ts";
import { permissions, tools } from "./grants.ts";
import { jobs } from "./jobs.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { model, scopedModels, thinking } from "./models.ts";
import { branch, clone, fork, importSession, newSession, resume } from "./moves.ts";
import { comment, label, name } from "./naming.ts";
import { record } from "./record.ts";
import { commandList, skills } from "./resources.ts";
import { schedule } from "./schedule.ts";
import { sandbox } from "./sandbox.ts";
import { share, unshare } from "./share.ts";
import { browser, debuggerCommand, lsp, machine } from "./services.ts";
import { hooks, outputStyle, reload, settings, trust } from "./setup.ts";
import { stats } from "./stats.ts";
import { todo } from "./todo.ts";
import { rewind, tree } from "./tree.ts";
import { goal, mode, plan, retry } from "./work.ts";
import { worktree } from "./worktree.ts";

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
	outputStyle,
	resume,
	tree,
	branch,
	fork,
	clone,
	importSession,
	rewind,
	label,
	comment,
	compact,
	handoff,
	commit,
	worktree,
	review,
	plan,
	goal,
	context,
	memory,
	remember,
	btw,
	cost,
	usage,
	stats,
	exportSession,
	dump,
	diff,
	todo,
	agents,
	task,
	fleet,
	jobs,
	schedule,
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
	record,
	unshare,
	collab,
	leave,
];
export { agents, type AgentConversation, type AgentsData, type TypeFacts } from "./agents.ts";
export { ask, btw, questionIn, wordsToModel } from "./side-questions.ts";
export { diff, type DiffData, type ListedFile, review } from "./changes.ts";
export { collab, type CollabData, leave } from "./collab.ts";
export { commit } from "./commit.ts";
export { causeText, clear, compact, context, type ContextData, handoff, shareCached } from "./context.ts";
export { debug, doctor, type DoctorData, doctorTitle, feedback } from "./diagnosis.ts";
export { cost, type CostData, type QuotaAnswer, session, status, usage } from "./facts.ts";
export { addDir, dump, type DumpData, exportSession, remember } from "./files.ts";
export { type GrantsData, permissions, type ToolRow, tools, type ToolsData } from "./grants.ts";
export { type JobFacts, jobs, type JobsData, jobsOf } from "./jobs.ts";
export { mcp, type McpActionData, type McpData } from "./mcp.ts";
export { memory, type MemoryData } from "./memory.ts";
export { model, scopedModels, type ScopedModelsData, thinking, type ThinkingData } from "./models.ts";
export { branch, clone, fork, importSession, type MessagesData, newSession, resume } from "./moves.ts";
export { comment, label, name } from "./naming.ts";
export { record } from "./record.ts";
export { schedule } from "./schedule.ts";
export { type CallData, type CallRow, commandList, skills } from "./resources.ts";
export { sandbox, type SandboxData } from "./sandbox.ts";
export { share, unshare } from "./share.ts";
export { stats } from "./stats.ts";
export {
	browser,
	debuggerCommand,
	latencyText,
	lsp,
	type LspData,
	type LspServer,
	machine,
	type MachineData,
	type TitledData,
} from "./services.ts";
export {
	hookIsOff,
	hooks,
	type HooksData,
	outputStyle,
	reload,
	settings,
	type SettingsData,
	settingsReply,
	trust,
} from "./setup.ts";
export { todo, type TodoData } from "./todo.ts";
export { type BackData, rewind, type RewindData, tree } from "./tree.ts";
export { goal, mode, plan, retry } from "./work.ts";
export { worktree } from "./worktree.ts";
export { fleet, task } from "./fleet.ts";
