/** Reads what a prompt asks of the demo, by simple patterns. */
import { limits } from "./limits.ts";
import { enclosing, looksLikePath, operand, pathOperand, splitAt, type Operand } from "./operand.ts";

export type Intent =
	| { kind: "describe" | "tour" | "next" | "greet" | "other" }
	| { kind: "find"; what: string }
	| { kind: "read"; path: string; from?: number; to?: number }
	/** `loose`: several lines that nothing marks as one command. */
	| { kind: "run"; command: string; loose: boolean }
	/** `fix`: what fails should be mended, too. */
	| { kind: "test"; fix: boolean }
	| { kind: "replace"; path: string; before: string; after: string }
	| { kind: "create"; path: string; text: string }
	/** A tool by its name, with arguments as a model would send them; `problem` when they are no such. */
	| { kind: "call"; tool: string; arguments: Record<string, unknown>; problem?: string }
	| { kind: "think"; about: string }
	| { kind: "stream"; lines: number };

type Reader = (text: string) => Intent | undefined;

const courtesy = /^(?:please|pls|(?:can|could|would|will) you(?: please)?|(?:hey |ok )?tau[,:]|now)\s+/i;

export function readIntent(prompt: string): Intent {
	const text = prompt.trim().replace(courtesy, "").replace(courtesy, "");
	// A pasted page is none of the phrases that are matched as a whole.
	const isPhrase = text.length <= limits.phraseChars;
	const readers: readonly Reader[] = isPhrase ? [whole, streamLines, test, ...exact, readFile, find] : exact;
	for (const reader of readers) {
		const intent = reader(text);
		if (intent) return intent;
	}
	return { kind: "other" };
}

const exact: readonly Reader[] = [thinkAbout, callTool, run, replaceIn, create, writeTo];

const place = "(?:project|repo(?:sitory)?|folder|dir(?:ectory)?|code ?base|code|package|workspace)";
const phrases: Readonly<Record<"describe" | "tour" | "next" | "greet", readonly string[]>> = {
	describe: [
		`what(?: is|['’]?s) (?:in|inside) (?:here|it|(?:this|the|my)(?: current)?(?: ${place})?)`,
		`what(?: is|['’]?s) (?:here|this(?: ${place})?(?: about)?|(?:the|my) ${place}(?: about)?)`,
		`what (?:does|is) (?:this|the|my) ${place} (?:do|about|for)`,
		`(?:describe|explain|summari[sz]e|explore|look at|tell me about|show me)(?: (?:this|the|my)(?: current)? ${place}| this| it)`,
		`(?:give me )?(?:an? )?(?:overview|summary)(?: of (?:this|the|my) ${place})?`,
	],
	tour: ["(?:(?:give me|show me|take|start) )?(?:an? |the )?(?:quick |guided |short )?tour(?: of tau)?"],
	next: ["next(?: (?:one|stop|step))?", "go on", "continue"],
	greet: [
		"(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening|day))(?:,? (?:there|tau|demo|you|all))?",
		"(?:who|what) are you",
		"are you (?:an? )?(?:real|ai|human|bot|model|llm|language model|real model)",
	],
};

function whole(text: string): Intent | undefined {
	const line = text.replaceAll(/\s+/g, " ");
	for (const kind of ["describe", "tour", "next", "greet"] as const) {
		const pattern = new RegExp(`^(?:${phrases[kind].join("|")})(?:,? please)?[\\s?!.]*$`, "i");
		if (pattern.test(line)) return { kind };
	}
	return undefined;
}

function thinkAbout(text: string): Intent | undefined {
	const [, about = ""] =
		/^think(?: (?:hard|deeply|carefully|step by step))?(?:\s+(?:about|on|over)\b|:)\s*([\s\S]*)$/i.exec(
			text,
		) ?? [];
	return about === "" ? undefined : { kind: "think", about };
}

function streamLines(text: string): Intent | undefined {
	const [, digits, thousands] =
		/^(?:stream|print|generate)(?: me)? (\d[\d,._]*) ?(k)? ?lines?(?: of \w+)?[\s?!.]*$/i.exec(text) ?? [];
	if (digits === undefined) return undefined;
	return { kind: "stream", lines: Number(digits.replaceAll(/[,._]/g, "")) * (thousands ? 1000 : 1) };
}

function test(text: string): Intent | undefined {
	const [, rest] =
		/^(?:run|execute|start|do)\s+(?:(?:all|the|my|our|these|unit)\s+)*(?:tests?(?:\s+suite)?|suite)\b([\s\S]*)$/i.exec(
			text,
		) ?? [];
	if (rest === undefined) return undefined;
	if (/^[\s?!.]*$/.test(rest)) return { kind: "test", fix: false };
	return /^,?\s*(?:and|then)\b.*\b(?:fix|mend|repair|solve)/i.test(rest)
		? { kind: "test", fix: true }
		: undefined;
}

function callTool(text: string): Intent | undefined {
	const [, tool, json = "{}"] =
		/^(?:call|use)(?: the)?(?: tool)? (\w+)(?: tool)?(?: with)?:?\s*(\{[\s\S]*\})?$/i.exec(text) ?? [];
	if (tool === undefined) return undefined;
	try {
		return { kind: "call", tool, arguments: JSON.parse(json) as Record<string, unknown> };
	} catch (error) {
		return { kind: "call", tool, arguments: {}, problem: String(error) };
	}
}

function run(text: string): Intent | undefined {
	const [, rest = ""] =
		/^(?:(?:run|execute)(?:\s+(?:the\s+)?(?:shell\s+)?command\b:?|\s+this:)?\s+|\$ )([\s\S]*)$/i.exec(text) ??
		[];
	const command = rest.trim();
	// "run the linter" is English: no command begins with an article.
	if (command === "" || /^(?:the|my|our|an?|all|every)\s/i.test(command)) return undefined;
	const quote = enclosing(command);
	// `"a" "b"` starts and ends with a quote without being quoted.
	if (quote && command.indexOf(quote[1], quote[0].length) === command.length - quote[1].length)
		return { kind: "run", command: operand(command).text, loose: false };
	return { kind: "run", command, loose: command.includes("\n") };
}

function replaceIn(text: string): Intent | undefined {
	const inFirst = /^in\s+(?:the\s+)?(?:file\s+)?(\S+?),?\s+(?=(?:replace|change)\s)/i.exec(text);
	const order = inFirst ? text.slice(inFirst[0].length) : text;
	const [verb = "", word = ""] = /^(replace|change)\s+/i.exec(order) ?? [];
	if (verb === "") return undefined;
	const links = word.toLowerCase() === "change" ? ["to", "into", "with"] : ["with", "by"];
	const halves = splitAt(order.slice(verb.length), links, "first");
	const tail = halves && (inFirst ? [halves[1], inFirst[1] ?? ""] : splitAt(halves[1], ["in"], "last"));
	if (!halves || !tail) return undefined;
	const path = pathOperand((tail[1] ?? "").replace(/^\s*(?:the\s+)?file\s+/i, ""));
	const before = operand(halves[0].replace(/^\s*(?:the\s+)?(?:word|text|string|line)\s+(?=["'`“‘«])/i, ""));
	if (!path || before.text === "") return undefined;
	return { kind: "replace", path: path.text, before: before.text, after: operand(tail[0] ?? "").text };
}

function create(text: string): Intent | undefined {
	const verb =
		/^(?:create|write|make|add)\s+(?:(?:an?|the|new|empty)\s+)*(file\s+)?(?:(?:called|named)\s+)?/i.exec(
			text,
		);
	if (!verb) return undefined;
	const rest = text.slice(verb[0].length);
	const [quoted = ""] = /^(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»)/.exec(rest) ?? [];
	const link = /(?:^|\s)(?:with|containing|saying|that\s+(?:says|contains))\s|:\s/i.exec(
		rest.slice(quoted.length),
	);
	const linkAt = link ? quoted.length + link.index : rest.length;
	const path = pathOperand(rest.slice(0, linkAt));
	if (!path || !(verb[1] || looksLikePath(path))) return undefined;
	// An empty file must be requested explicitly: "add tests/" is not such a request.
	if (!link && !/^create/i.test(text)) return undefined;
	const message = link ? rest.slice(linkAt + link[0].length) : "";
	const content = message.replace(/^\s*(?:the\s+)?(?:text|contents?|lines?)(?:\s*:\s*|\s+)(?=\S)/i, "");
	return { kind: "create", path: path.text, text: asFile(operand(content)) };
}

function writeTo(text: string): Intent | undefined {
	const verb = /^(?:write|put|save)\s+/i.exec(text);
	const halves = verb && splitAt(text.slice(verb[0].length), ["to", "into"], "last");
	if (!halves) return undefined;
	const named = /^\s*(?:(?:the|a)\s+)?(?:new\s+)?file\s+(?:(?:called|named)\s+)?/i.exec(halves[1]);
	const path = pathOperand(halves[1].slice(named?.[0].length ?? 0));
	if (!path || !(named || looksLikePath(path))) return undefined;
	return { kind: "create", path: path.text, text: asFile(operand(halves[0])) };
}

/** Quoted text is written exactly; lines end with a line break. */
function asFile({ text, marked }: Operand): string {
	return marked === "quoted" || text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

const readVerb =
	/^(read|show|cat|open|print|view|what(?:['’]s|\s+is)\s+in)\s+(?:me\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(file\s+)?/i;
const span = String.raw`(?<from>\d{1,9})(?:\s*(?:-|–|to|through|\.\.+)\s*(?<to>\d{1,9}))?`;
const ranges: readonly RegExp[] = [
	new RegExp(
		String.raw`^(?:lines?\s+${span}|(?:first|top)\s+(?<first>\d{1,9})\s+lines)\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?<path>.+)$`,
		"i",
	),
	new RegExp(
		String.raw`^(?<path>\S+|"[^"]+"|'[^']+')(?::|,?\s+\(?(?:from\s+)?lines?\s+)${span}\)?[?!.]*$`,
		"i",
	),
];

function readFile(text: string): Intent | undefined {
	const verb = readVerb.exec(text);
	if (!verb) return undefined;
	const rest = text.slice(verb[0].length);
	const range = ranges.map((pattern) => pattern.exec(rest)?.groups).find((groups) => groups !== undefined);
	const path = pathOperand(range?.["path"] ?? rest);
	const isSure = verb[2] !== undefined || range !== undefined || /^(?:read|cat)$/i.test(verb[1] ?? "");
	if (!path || !(isSure || looksLikePath(path))) return undefined;
	if (!range) return { kind: "read", path: path.text };
	const from = Math.max(1, Number(range["from"] ?? 1));
	return {
		kind: "read",
		path: path.text,
		from,
		to: Math.max(from, Number(range["first"] ?? range["to"] ?? from)),
	};
}

const findVerb =
	/^(?:find|search(?:\s+for)?|look\s+for|grep(?:\s+for)?|locate|where(?:['’]?s|\s+is|\s+are|\s+do(?:es)?\s+(?:we|i|it)\s+(?:use|define|call))|which\s+files?\s+(?:contains?|mentions?|uses?))\s+/i;
const findLead =
	/^(?:(?:all|any|the|every)\s+)*(?:(?:uses?|usages?|occurrences?|references?|definitions?)\s+(?:of|to)\s+)?(?:the\s+)?(?:(?:files?|functions?|class(?:es)?|methods?|types?|variables?|symbols?|words?|text|string)\s+(?:(?:called|named)\s+)?)?(?=\S)/i;
const findTail =
	/\s+(?:(?:in|inside|within)\s+(?:this|the|my)\s+\w+|in\s+here|here|defined|declared|used|called|implemented|located|mentioned)$/i;

function find(text: string): Intent | undefined {
	const verb = findVerb.exec(text);
	if (!verb) return undefined;
	const requested = text.slice(verb[0].length).replace(/[?!.\s]+$/, "");
	const core = requested.replace(findTail, "").replace(findTail, "").replace(findLead, "");
	const lines = operand(core).text.split("\n");
	const what = lines.find((line) => line.trim() !== "")?.trim() ?? "";
	if (what === "" || what.includes("\0") || what.length > limits.needleChars) return undefined;
	return { kind: "find", what };
}
