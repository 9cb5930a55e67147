/** The output of `tau sessions show`: a session's facts, its tree with a line for each entry, its problems. */
import { oneLine, shortenHome } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";
import type { SessionManager, SessionTreeNode } from "@tau/log";
import { spoken, walkTree, type Part } from "@tau/session/export";

import { limits } from "../../limits.ts";
import { jsonLine, lineWidth } from "./output.ts";
import { formatProblem } from "./problems.ts";

export function sessionPage(session: SessionManager, isJson: boolean): string {
	const tree = session.getTree();
	const branch = new Set(session.getBranch().map(({ id }) => id));
	const header = session.getHeader();
	const name = session.getSessionName();
	// Asked last: a damaged body is found when it is read.
	const problems = session.getProblems().map(formatProblem);
	const file = session.getSessionFile() ?? "";
	const entries = [...walkTree(tree, branch)].flatMap((step) => (step.kind === "entry" ? [step] : []));
	if (isJson) {
		const rows = entries.map(({ node }) =>
			jsonLine({ ...summaryOf(node), inUse: branch.has(node.entry.id) }),
		);
		return [jsonLine({ ...header, name, file, entries: rows.length, problems }), ...rows].join("");
	}
	const facts = columns([
		["id", header.id],
		["name", String(name ?? "–")],
		["file", shortenHome(file)],
		["directory", header.cwd || "–"],
		["begun", header.timestamp],
		["parent", String(header.parentSession ?? "–")],
		["entries", String(entries.length)],
	]);
	const lines = entries.map(({ node, depth }) => entryLine(node, depth, branch.has(node.entry.id)));
	const matches = problems.length > 0 ? ["", "Problems:", ...problems.map((problem) => `  ${problem}`)] : [];
	const width = lineWidth();
	return [...facts, "", ...lines, ...matches].map((line) => `${cut(line, width)}\n`).join("");
}

/** `*` marks the branch in use; the others are set in. */
function entryLine(node: SessionTreeNode, depth: number, isInUse: boolean): string {
	const { id, who, text, label } = summaryOf(node);
	const mark = label === undefined ? "" : ` [${label}]`;
	const indent = "  ".repeat(Math.min(depth, limits.shownDepth));
	return `${isInUse ? "*" : " "} ${indent}${id}${mark}  ${who}${text === "" ? "" : `: ${text}`}`;
}

function summaryOf({ entry, label }: SessionTreeNode) {
	const { who, parts } = spoken(entry);
	return {
		id: oneLine(entry.id, limits.entryChars),
		parentId: entry.parentId,
		type: entry.type,
		who: oneLine(who, limits.entryChars),
		text: oneLine(parts.map(partText).join(" "), limits.entryChars),
		...(label === undefined ? {} : { label: oneLine(String(label), limits.entryChars) }),
	};
}

function partText(part: Part): string {
	if (part.kind === "image") return `(image ${part.mimeType})`;
	if (part.kind === "thinking") return "(thinking)";
	return "name" in part ? `${part.name} ${part.text}` : part.text;
}
