/** The owner of a conversation, and what it is made of. */
export type { AgentHook, HookedAgent } from "./agent-hooks.ts";
export type { AgentMessageNote, SendOutcome } from "./agent-messages.ts";
export {
	mainAgent,
	type AgentInfo,
	type AgentOutcome,
	type AgentState,
	type AgentTree,
} from "./agent-tree.ts";
export type { Broadcast, BroadcastOptions } from "./clients/broadcast.ts";
export { assertRight, inOrder, type Attached, type Client } from "./clients/clients.ts";
export { addComment } from "./comments.ts";
export { eventFrame } from "./clients/event-frame.ts";
export { agentFacts, factsOfSession, liveFacts, publicModel, tailOf } from "./clients/facts.ts";
export { factsOf } from "./children.ts";
export type { AgentSpec, ChildRequest, ChildSession, SessionSpawner } from "./children.ts";
export type { Admission, RunEnd, SubmitOptions } from "./admissions.ts";
export { liveBudget, liveCompaction, liveRetry, retryHelp } from "./live-settings.ts";
export { checkSession, type ForkMessage, type MoveOutcome, type SessionMove } from "./moves.ts";
export type { Delivery } from "./deliveries.ts";
export type {
	AgentQuestion,
	BackgroundJobs,
	SessionGoal,
	SessionWork,
	LeaveReason,
	LeaveRequest,
	RunContext,
	RunFeatures,
	SessionLifecycle,
	SessionParts,
} from "./parts.ts";
export type {
	AnswerOf,
	Dialog,
	Question,
	QuestionAnswer,
	RequestFields,
	RequestKind,
	RequestOrigin,
	UserAnswer,
	UserRequest,
	UserRequestOf,
} from "@tau/wire";
export {
	UserRequests,
	type AskOptions,
	type RequestClient,
	type RequestEvent,
	type SharedViewer,
} from "./requests.ts";
export type { RewindOutcome, RewindPoint, RewindRequest, RewindScope, SessionRewind } from "./rewind.ts";
export { SessionHost, type By } from "./session-host.ts";
export { assertOutcome, type Outcome, type SessionChange, type SessionState } from "./session-state.ts";
export type { ConsultOptions, SideAnswer, SideOptions } from "../side-questions/index.ts";
export {
	UserShell,
	type CellLanguage,
	type CellResult,
	type CommandOutcome,
	type CommandResult,
	type CommandRunner,
	type UserCellOptions,
	type UserCommandOptions,
} from "./user-shell.ts";
export type { ShownTerminal, TerminalViewer } from "./terminals.ts";
