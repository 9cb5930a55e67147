/** Compacts by printing the history onto images: local and deterministic, without a request to a model. */
import {
	charsFor,
	fileTree,
	serializeMessage,
	withoutFileTree,
	withoutUseless,
	type AgentMessage,
} from "@tau/agent";
import type { Model } from "@tau/ai";

import { readArchive, type Archive, type CompactionEntry } from "@tau/log";
import { fill } from "@tau/utils";
import guideTemplate from "../prompts/snapcompact-guide.md" with { type: "text" };
import tailTemplate from "../prompts/snapcompact-tail.md" with { type: "text" };
import { convertToLlm } from "../run/convert-to-llm.ts";
import type { Passage } from "./frames/typeset.ts";
import type { Shape } from "./frames/shape.ts";
import { limits } from "./limits.ts";
import type { SummaryPlan } from "./write-summary.ts";

export interface Snapshot {
	/** How to read the images, and what did not fit on them. */
	summary: string;
	preserveData: { snapcompact: Archive };
}

/** Returns why it is not possible instead, to follow the name of the model. */
export async function snapcompact(
	{ preparation, budget }: SummaryPlan,
	previous: CompactionEntry | undefined,
	model: Model,
	forcedShape: string | undefined,
): Promise<Snapshot | string> {
	if (!model.input.includes("image")) return "does not read images";
	const { printHistory } = await import("./frames/archive.ts");
	const { shapeFor } = await import("./frames/shape.ts");
	const shape = shapeFor(model, forcedShape);
	const room = Math.min(budget.threshold, limits.framesWindow) * limits.framesShare;
	const most = Math.min(shape.frames, limits.frames, Math.floor(room / shape.tokens));
	if (most === 0) return "has too small a context for images";
	const before = previous && readArchive(previous.preserveData);
	const { messagesToSummarize, turnPrefixMessages } = preparation;
	const { archive, tail, unknownShare } = await printHistory({
		passages: [
			...(previous ? earlier(previous.summary, before !== undefined) : []),
			...passagesOf([...messagesToSummarize, ...turnPrefixMessages]),
		],
		shape,
		api: model.api,
		before,
		most,
		tailChars: Math.min(
			shape.chars * shape.rows * shape.columns * limits.tailFrames,
			charsFor(Math.floor(room / limits.tailFrames)),
		),
	});
	if (unknownShare > limits.unknownShare)
		return "cannot be shown this conversation: the fonts lack its script";
	const summary = [guide(archive, shape), tailText(tail), fileTree(preparation.fileOps)]
		.filter((part) => part !== "")
		.join("\n\n");
	return { summary, preserveData: { snapcompact: archive } };
}

/** What the compaction before has left as text. */
function earlier(summary: string, isPrinted: boolean): Passage[] {
	// A compaction that the user has undone has left nothing.
	if (summary.trim() === "") return [];
	const text = isPrinted ? tailOf(summary) : `[Summary of earlier history]: ${withoutFileTree(summary)}`;
	return text === "" ? [] : [{ text, isDim: false }];
}

function passagesOf(messages: readonly AgentMessage[]): Passage[] {
	return withoutUseless(convertToLlm(messages)).flatMap((message) =>
		serializeMessage(message).map((text) => ({ text, isDim: message.role === "toolResult" })),
	);
}

function guide({ frames, faded = 0 }: Archive, { pitch, columns, hues, dims }: Shape): string {
	const [width, height] = pitch;
	const ink = [
		" Gray is the output of tools",
		...(dims ? [", and words without content"] : []),
		...(hues ? ["; each sentence has another color"] : []),
		".",
	].join("");
	return fill(guideTemplate, {
		frames: String(frames.length),
		width: String(width),
		height: String(height),
		columns: columns > 1 ? `, the left column before the right one` : "",
		ink,
		faded:
			faded > 0
				? `\n- ${faded} older images, which followed the first one, are no longer in the context.`
				: "",
	});
}

function tailText(tail: string): string {
	const closed = tail.replaceAll("</recent-history>", "<\\/recent-history>");
	return tail === "" ? "" : fill(tailTemplate, { tail: closed });
}

function tailOf(summary: string): string {
	return /<recent-history>\n([^]*)\n<\/recent-history>/.exec(summary)?.[1] ?? "";
}
