/** Retired names and phrases are not used again: the field has better-known words for the same things. */
import { isAside, isCode } from "../paths.ts";
import { codeTokens, comments, tokenize, type Token } from "../tokens.ts";
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
	["heard", "received"],
	["goesOn", "continues"],
	["saidIn", "conversationIn"],
	["newShelf", "newServices"],
	["strangers", "unknownKeys"],
	["told", "reported, announced, or notified"],
	["isTold", "isReported, or hasNotified"],
	["wishes", "options, or selections"],
]);

/** Phrases of comments and test names with what to write instead; only those that have no other meaning. */
const phrases = new Map([
	["the person", "the user"],
	["a person", "a user"],
	["the door of", "the entry point of"],
	["by no way", "never"],
	["for ever", "forever"],
	["told of", "notified of, or is an event"],
	["what it gave", "its result"],
	["what they gave", "their results"],
	["goes on", "continues"],
	["nobody is asked", "there is no question"],
	["is heeded", "takes effect"],
	["speaks up", "triggers, or reports"],
	["summed up", "summarized"],
	["brings along", "provides, or contains"],
	["brought along", "provided, or bundled"],
]);

/** British spellings with the American ones that everything is written in; of a word that ends differently, its stem. */
const spellings = new Map([
	["colour", "color"],
	["behaviour", "behavior"],
	["neighbour", "neighbor"],
	["recognis", "recogniz"],
	["serialis", "serializ"],
	["normalis", "normaliz"],
	["summaris", "summariz"],
]);

const spelling = new RegExp([...spellings.keys()].join("|"), "gi");

const phrase = new RegExp(`\\b(?:${[...phrases.keys()].join("|")})\\b`, "gi");

export async function names(root: string): Promise<Problem[]> {
	const files = await readFiles(root, (path) => isCode(path) || isPage(path));
	return files.flatMap(({ path, text }) => {
		if (isPage(path)) return britishSpellings(path, text);
		const tokens = tokenize(text);
		return [...retiredNames(path, tokens), ...retiredPhrases(path, tokens), ...britishSpellings(path, text)];
	});
}

/** The changelog keeps what it said. */
function isPage(path: string): boolean {
	return path.endsWith(".md") && !isAside(path) && path !== "CHANGELOG.md";
}

/** In names, comments, strings and pages. */
function britishSpellings(file: string, text: string): Problem[] {
	// The list itself, and the test of the list.
	if (/^test\/architecture\/(?:checks\/)?names/.test(file)) return [];
	return text.split("\n").flatMap((row, index) =>
		[...row.matchAll(spelling)].map(([found]) => ({
			file,
			line: index + 1,
			message: `"${found}" is British spelling: write ${spellings.get(found.toLowerCase())}`,
		})),
	);
}

function retiredNames(file: string, tokens: Token[]): Problem[] {
	return codeTokens(tokens).flatMap(({ kind, text: name, line }): Problem[] => {
		const better = kind === "name" ? retired.get(name) : undefined;
		return better === undefined ? [] : [{ file, line, message: `${name} is a retired name: use ${better}` }];
	});
}

function retiredPhrases(file: string, tokens: Token[]): Problem[] {
	return [...comments(tokens), ...testNames(tokens)].flatMap(({ text, line }) =>
		// A phrase may be broken over two lines of a comment.
		[...text.replaceAll(/\n\s*\*?\s*/g, " ").matchAll(phrase)].map(([found]) => {
			const better = phrases.get(found.toLowerCase());
			return { file, line, message: `"${found}" is a retired phrase: write ${better}` };
		}),
	);
}

/** The first argument of `test(…)` and `describe(…)`, also after `.each(…)`. */
function testNames(tokens: Token[]): Token[] {
	return tokens.filter(({ kind }, at) => {
		if ((kind !== "string" && kind !== "template") || tokens[at - 1]?.text !== "(") return false;
		const before = tokens[at - 2]?.text ?? "";
		return before === "test" || before === "describe" || before === ")";
	});
}
