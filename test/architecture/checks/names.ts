/** Retired names are not used again: the field has better-known words for the same things. */
import { isCode } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";

/** Each retired name with the name to use instead. */
const retired = new Map([
	["ToolPlace", "ToolEnv"],
	["Shelf", "SessionServices"],
	["shelf", "services"],
	["ToolConversation", "ToolSession"],
	["SessionSide", "ExtensionSession"],
	["LinkedSide", "BoundSession"],
	["Conversation", "SessionHost"],
	["LiveHost", "SessionHost"],
	["LiveSession", "SessionHost"],
	["Desk", "a name that says what it is, such as Fixture or RpcConnectionState"],
	["SessionDesk", "SessionHost"],
	["BashDesk", "UserShell"],
	["PersonShell", "UserShell"],
	["SessionBash", "UserShell"],
	["ExtensionUIDesk", "RpcExtensionUI"],
	["PersonCommandView", "UserCommandView"],
	["person", "user"],
	["hear", "onEvent"],
	["tell", "emit"],
	["ToolTalk", "ToolEvents"],
	["CompactionTalk", "CompactionEvents"],
	["SettleTalk", "SettleEvents"],
	["StreamTalk", "StreamEvents"],
	["messageGate", "messageRewrite"],
	["AnswerGate", "AnswerInterrupt"],
	["takeBack", "dequeueLast"],
	["takeFirst", "dequeueFirst"],
	["isHeard", "admitted"],
	["writtenIn", "userTextOf"],
	["soundMessage", "sanitizeMessage"],
	["soundResult", "sanitizeResult"],
	["soundContent", "sanitizeContent"],
	["putRight", "coerceArguments"],
	["complain", "printError"],
	["breathe", "yieldToInput"],
	["standIn", "installPiShims, or replacement"],
	["setStandIn", "setReplacement"],
	["isStandIn", "isFallbackModel"],
	["strays", "uncaught"],
	["catchStrays", "attributeUncaught"],
	["Patience", "DeadlineOptions"],
	["withPatience", "withDeadline"],
	["GivenUp", "TimedOut"],
	["staying", "blockExitWhileLoading"],
	["FactsKeeper", "StatusModel"],
	["Stage", "ViewContext, or Fixture in a test"],
	["LiveStage", "LiveViewContext"],
	["StageBlock", "ViewBlock"],
	["Pulse", "AnimationClock"],
	["Place", "Slot, or what it locates: Directory, Position"],
	["OfferPlace", "OverlayHost"],
	["AnswerPlace", "AnswerSink"],
	["DrawnWords", "TextTransforms"],
	["ToolWish", "ToolSelection"],
	["SessionWishes", "SessionOptions"],
	["Refusal", "UserError, PlanError or OpenError"],
	["LogRefusal", "OpenError"],
	["Draft", "MessageBuilder, or TextBuffer"],
	["Drafts", "PromptDrafts"],
	["BoundaryDraft", "BoundaryEntry"],
	["mayLeave", "confirmLeave"],
	["useDoor", "setPublicApi"],
	["ownDoor", "publicApi"],
	["keepOwnPlaces", "retainDetached"],
]);

export async function names(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isCode);
	return files.flatMap(({ path, text }) =>
		codeTokens(tokenize(text)).flatMap(({ kind, text: name, line }): Problem[] => {
			const better = kind === "name" ? retired.get(name) : undefined;
			if (better === undefined) return [];
			return [{ file: path, line, message: `${name} is a retired name: use ${better}` }];
		}),
	);
}
