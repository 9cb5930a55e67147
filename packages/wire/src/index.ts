/** The session protocol: one table of events, of commands and of user requests, and what derives from them. */
export {
	customToolEventNames,
	events,
	eventSchema,
	extensionEventNames,
	type ChildEventFrame,
	type EventFrame,
	type EventFrameOf,
	type EventName,
	type ExtensionEventName,
	type OwnSessionEvent,
} from "./events.ts";
export { branchEntries } from "./branch-entries.ts";
export type { SessionClient } from "./client.ts";
export {
	ComponentBoard,
	componentLimits,
	ComponentOutbox,
	noComponentValues,
	type ComponentAct,
	type ComponentChanges,
	type ComponentSlot,
	type ComponentValues,
	type ComponentView,
} from "./components.ts";
export {
	frameHead,
	frameLimits,
	frameLines,
	FrameReader,
	type Cursor,
	type Frame,
	type FrameKind,
	type FrameOf,
	type LeanEvent,
} from "./frames.ts";
export { connectionLimits } from "./limits.ts";
export { Live } from "./live.ts";
export { isStreaming, leanEvent, merged } from "./merge.ts";
export { Replica } from "./replica.ts";
export { RunOutcome } from "./run-outcome.ts";
export { runTyped } from "./typed-command.ts";
export { commandRights } from "./command-rights.ts";
export { permits, rights, type Right } from "./rights.ts";
export type { CommandInfo, CommandReply, Completion } from "./session-commands.ts";
export { commentType } from "./view.ts";
export type {
	AgentFacts,
	Entry,
	EntryTail,
	LiveState,
	Notice,
	RunningCall,
	RunningCommand,
	SessionFacts,
	SessionSnapshot,
	SessionView,
} from "./view.ts";
export type { WireAnswer, WireMessage } from "./messages.ts";
export { invocationOf, pastesOf, userTextOf } from "./user-text.ts";
export {
	answerSchema,
	requestKinds,
	userRequest,
	type AnswerOf,
	type ApprovalChoice,
	type Cancelled,
	type Dialog,
	type Question,
	type QuestionAnswer,
	type RequestFields,
	type RequestKind,
	type RequestOrigin,
	type Touch,
	type ShownScreen,
	type UserAnswer,
	type UserRequest,
	type UserRequestOf,
} from "./requests.ts";
export {
	approvalModes,
	todoStatuses,
	type ApprovalMode,
	type Boundary,
	type ClientInfo,
	type CompactionResult,
	type GrantInfo,
	type MachineFacts,
	type Phase,
	type Rule,
	type ThinkingLevel,
	type TodoItem,
	type TodoPhase,
	type TodoStatus,
} from "./session-shapes.ts";
export {
	commandId,
	commands,
	commandSchema,
	isCommandName,
	type Command,
	type CommandFields,
	type CommandId,
	type CommandName,
	type CommandOf,
	type CommandResult,
	type ChildInfo,
	type PublicModel,
	type SessionState,
} from "./commands.ts";
export { webParts, webViewLimits, type WebDrawing, type WebPart } from "./web-view.ts";
export {
	extensionUIRequest,
	extensionUIResponse,
	type ExtensionUIRequest,
	type ExtensionUIResponse,
} from "./extension-ui.ts";
export { asDialogs, dialogFrame, type DialogSequence, trustChoices, trustLines } from "./pi-dialogs.ts";
export { printSchema, rpcSchema } from "./json-schema.ts";
