/** Derives the intent of a prompt from simple patterns. */
import { limits } from "./limits.ts";
import { enclosing, looksLikePath, operand, pathOperand, splitAt } from "./operand.ts";

export type Intent =
	| { kind: "describe" }
	| { kind: "find"; what: string }
	| { kind: "read"; path: string; from?: number; to?: number }
	/** `loose`: several lines that nothing marks as one command. */
	| { kind: "run"; command: string; loose: boolean }
	| { kind: "replace"; path: string; before: string; after: string }
	| { kind: "create"; path: string; text: string }
	/** A tool by its name, with arguments as a model would send them; `problem` when they are no such. */
	| { kind: "call"; tool: string; arguments: Record<string, unknown>; problem?: string }
	| { kind: "tour" }
	/** The next stop of the tour. */
	| { kind: "next" }
	| { kind: "think"; about: string }
	| { kind: "stream"; lines: number }
	| { kind: "greet" }
	| { kind: "other" };

export function readIntent(prompt: string): Intent {
	const text = withoutCourtesy(prompt.trim());
	const readers = [whole, thinkAbout, streamLines, callTool, run, replaceIn, create, writeTo, readFile, find];
	for (const reader of readers) {
		const intent = reader(text);
		if (intent) return intent;
	}
	return { kind: "other" };
}

const courtesy = /^(?:please|pls|(?:can|could|would|will) you(?: please)?|(?:hey |ok )?tau[,:]|now)\s+/i;

function withoutCourtesy(text: string): string {
	return text.replace(courtesy, "").replace(courtesy, "");
}

const place = "(?:project|repo(?:sitory)?|folder|dir(?:ectory)?|code ?base|code|package|workspace|place)";
const phrases: readonly (readonly [RegExp, Intent])[] = [
	[
		phrase(`what(?: is|['’]?s) (?:in|inside) (?:here|it|(?:this|the|my)(?: current)?(?: ${place})?)`),
		{ kind: "describe" },
	],
	[
		phrase(`what(?: is|['’]?s) (?:here|this(?: ${place})?(?: about)?|(?:the|my) ${place}(?: about)?)`),
		{ kind: "describe" },
	],
	[phrase(`what (?:does|is) (?:this|the|my) ${place} (?:do|about|for)`), { kind: "describe" }],
	[
		phrase(
			`(?:describe|explain|summari[sz]e|sum up|explore|analy[sz]e|look at|tell me about|show me)` +
				`(?: (?:this|the|my)(?: current)? ${place}| this| it)`,
		),
		{ kind: "describe" },
	],
	[
		phrase(`(?:give me )?(?:an? )?(?:overview|summary|description)(?: of (?:this|the|my) ${place})?`),
		{ kind: "describe" },
	],
	[phrase(`what do (?:we|i|you) (?:have|see) here`), { kind: "describe" }],
	[
		phrase(
			"(?:(?:give me|show me|take|start|do|let['’]?s take) )?(?:me on )?(?:an? |the )?(?:quick |guided |short )?tour(?: of tau)?",
		),
		{ kind: "tour" },
	],
	[phrase("next(?: (?:one|stop|step))?|go on|continue"), { kind: "next" }],
	[
		phrase(
			"(?:hi|hiya|hello|hey|hallo|hola|yo|moin|howdy|greetings|good (?:morning|afternoon|evening|day))" +
				"(?:,? (?:there|tau|demo|you|all))?",
		),
		{ kind: "greet" },
	],
	[
		phrase("(?:who|what) are you|are you (?:an? )?(?:real|ai|human|bot|model|llm|language model|real model)"),
		{ kind: "greet" },
	],
];

function phrase(pattern: string): RegExp {
	return new RegExp(`^(?:${pattern})(?:,? please)?[\\s?!.]*$`, "i");
}

function whole(text: string): Intent | undefined {
	if (text.length > limits.phraseChars) return undefined;
	const line = text.replaceAll(/\s+/g, " ");
	return phrases.find(([pattern]) => pattern.test(line))?.[1];
}

function thinkAbout(text: string): Intent | undefined {
	const match =
		/^think(?: (?:hard|deeply|carefully|a bit|step by step))?(?:\s+(?:about|on|over|through)\b|:)\s*/i.exec(
			text,
		);
	const about = match ? text.slice(match[0].length) : "";
	return about === "" ? undefined : { kind: "think", about };
}

function streamLines(text: string): Intent | undefined {
	if (text.length > limits.phraseChars) return undefined;
	const match =
		/^(?:stream|print|output|generate)(?: me)? (\d[\d,._]*) ?(k)? ?lines?(?: of \w+)?[\s?!.]*$/i.exec(text);
	if (!match) return undefined;
	const number = Number((match[1] ?? "").replaceAll(/[,._]/g, ""));
	return { kind: "stream", lines: match[2] ? number * 1000 : number };
}

function callTool(text: string): Intent | undefined {
	const [, tool = "", json = ""] =
		/^(?:call|use)(?: the)?(?: tool)? (\w+)(?: tool)?(?: with)?:?\s*(\{[\s\S]*\})?$/i.exec(text) ?? [];
	if (tool === "") return undefined;
	try {
		const read: unknown = JSON.parse(json || "{}");
		return { kind: "call", tool, arguments: read as Record<string, unknown> };
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { kind: "call", tool, arguments: {}, problem };
	}
}

function run(text: string): Intent | undefined {
	const match = /^(?:(?:run|execute|exec)(?:\s+(?:the\s+)?(?:shell\s+)?command\b:?|\s+this:)?\s+|\$ )/i.exec(
		text,
	);
	const rest = match ? text.slice(match[0].length).trim() : "";
	if (rest === "") return undefined;
	const quote = enclosing(rest);
	// `"a" "b"` starts and ends with a quote without being quoted.
	if (quote && rest.indexOf(quote[1], quote[0].length) === rest.length - quote[1].length) {
		return { kind: "run", command: operand(rest).text, loose: false };
	}
	return { kind: "run", command: rest, loose: rest.includes("\n") };
}

function replaceIn(text: string): Intent | undefined {
	const inFirst = /^in\s+(?:the\s+)?(?:file\s+)?(\S+?),?\s+(?=(?:replace|change|substitute)\s)/i.exec(text);
	const order = inFirst ? text.slice(inFirst[0].length) : text;
	const verb = /^(replace|change|substitute)\s+/i.exec(order);
	if (!verb) return undefined;
	const links = verb[1]?.toLowerCase() === "change" ? ["to", "into", "with"] : ["with", "by"];
	const halves = splitAt(order.slice(verb[0].length), links, "first");
	const tail = halves && (inFirst ? [halves[1], inFirst[1] ?? ""] : splitAt(halves[1], ["in"], "last"));
	if (!halves || !tail) return undefined;
	const path = pathOperand((tail[1] ?? "").replace(/^\s*(?:the\s+)?file\s+/i, ""));
	const before = operand(
		halves[0].replace(/^\s*(?:the\s+)?(?:word|text|string|line)\s+(?=["'`“‘«])/i, ""),
	).text;
	if (!path || before === "") return undefined;
	return { kind: "replace", path: path.text, before, after: operand(tail[0] ?? "").text };
}

function create(text: string): Intent | undefined {
	const verb =
		/^(?:create|write|make|add)\s+(?:(?:an?|the|new|empty)\s+)*(file\s+)?(?:(?:called|named)\s+)?/i.exec(
			text,
		);
	if (!verb) return undefined;
	const rest = text.slice(verb[0].length);
	const link = /(?:^|\s)(?:with|containing|saying|that\s+(?:says|contains))\s|:\s/i.exec(afterQuote(rest));
	const linkAt = link ? rest.length - afterQuote(rest).length + link.index : rest.length;
	const path = pathOperand(rest.slice(0, linkAt));
	if (!path || !(verb[1] || looksLikePath(path))) return undefined;
	// An empty file must be requested explicitly: "add tests/" is not such a request.
	if (!link && !/^create/i.test(text)) return undefined;
	const message = link ? rest.slice(linkAt + link[0].length) : "";
	const content = operand(
		message.replace(/^\s*(?:the\s+)?(?:following\s+)?(?:text|contents?|lines?)(?:\s*:\s*|\s+)(?=\S)/i, ""),
	);
	return { kind: "create", path: path.text, text: asFile(content) };
}

function writeTo(text: string): Intent | undefined {
	const verb = /^(?:write|put|save)\s+/i.exec(text);
	const halves = verb && splitAt(text.slice(verb[0].length), ["to", "into"], "last");
	if (!halves) return undefined;
	const named = /^\s*(?:(?:the|a)\s+)?(?:new\s+)?file\s+(?:(?:called|named)\s+)?/i.exec(halves[1]);
	const path = pathOperand(named ? halves[1].slice(named[0].length) : halves[1]);
	if (!path || !(named || looksLikePath(path))) return undefined;
	return { kind: "create", path: path.text, text: asFile(operand(halves[0])) };
}

/** The text after a quoted start; the whole text if it does not start with a quote. */
function afterQuote(text: string): string {
	const quoted = /^(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»)/.exec(text);
	return quoted ? text.slice(quoted[0].length) : text;
}

/** Quoted text is written exactly; lines end with a line break. */
function asFile({ text, marked }: ReturnType<typeof operand>): string {
	return marked === "quoted" || text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

const lead = String.raw`(?:me\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?`;
const readVerb = new RegExp(
	String.raw`^(read|show|cat|open|print|display|view|what(?:['’]s|\s+is)\s+in)\s+${lead}(file\s+)?`,
	"i",
);
const span = String.raw`(\d{1,9})(?:\s*(?:-|–|to|through|\.\.+)\s*(\d{1,9}))?`;
const ranges: readonly { pattern: RegExp; path: number; numbers: number }[] = [
	{
		pattern: new RegExp(String.raw`^lines?\s+${span}\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(.+)$`, "i"),
		path: 3,
		numbers: 1,
	},
	{
		pattern: new RegExp(
			String.raw`^(\S+|"[^"]+"|'[^']+'),?\s+\(?(?:from\s+)?lines?\s+${span}\)?[?!.]*$`,
			"i",
		),
		path: 1,
		numbers: 2,
	},
	{ pattern: new RegExp(String.raw`^(\S+):${span}[?!.]*$`, "i"), path: 1, numbers: 2 },
];

function readFile(text: string): Intent | undefined {
	const verb = text.length > limits.phraseChars ? undefined : readVerb.exec(text);
	if (!verb) return undefined;
	const rest = text.slice(verb[0].length);
	const first = /^(?:first|top)\s+(\d{1,9})\s+lines\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(.+)$/i.exec(
		rest,
	);
	const range = ranges.find(({ pattern }) => pattern.test(rest));
	const match = range?.pattern.exec(rest);
	const path = pathOperand(first?.[2] ?? (range && match?.[range.path]) ?? rest);
	const sure = verb[2] || first || match || /^(?:read|cat)$/i.test(verb[1] ?? "");
	if (!path || !(sure || looksLikePath(path))) return undefined;
	if (first) return { kind: "read", path: path.text, from: 1, to: Math.max(1, Number(first[1])) };
	if (!range || !match) return { kind: "read", path: path.text };
	const from = Math.max(1, Number(match[range.numbers]));
	return {
		kind: "read",
		path: path.text,
		from,
		to: Math.max(from, Number(match[range.numbers + 1] ?? from)),
	};
}

const findVerb =
	/^(?:find|search(?:\s+for)?|look\s+for|grep(?:\s+for)?|locate|where(?:['’]?s|\s+is|\s+are|\s+do(?:es)?\s+(?:we|i|it)\s+(?:use|define|call))|which\s+files?\s+(?:contains?|mentions?|uses?))\s+/i;
const findLead =
	/^(?:(?:all|any|the|every)\s+)*(?:(?:uses?|usages?|occurrences?|references?|definitions?)\s+(?:of|to)\s+)?(?:the\s+)?(?:(?:files?|functions?|class(?:es)?|methods?|types?|variables?|symbols?|words?|text|string)\s+(?:(?:called|named)\s+)?)?(?=\S)/i;
const findTail =
	/\s+(?:(?:in|inside|within)\s+(?:this|the|my)\s+\w+|in\s+here|here|defined|declared|used|called|implemented|located|mentioned)$/i;

function find(text: string): Intent | undefined {
	const verb = text.length > limits.phraseChars ? undefined : findVerb.exec(text);
	if (!verb) return undefined;
	const requested = text.slice(verb[0].length).replace(/[?!.\s]+$/, "");
	const core = requested.replace(findTail, "").replace(findTail, "").replace(findLead, "");
	const what =
		operand(core)
			.text.split("\n")
			.find((line) => line.trim() !== "")
			?.trim() ?? "";
	if (what === "" || what.includes("\0") || what.length > limits.needleChars) return undefined;
	return { kind: "find", what };
}
