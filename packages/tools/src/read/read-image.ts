/** Shows an image to a model with vision, and describes it to one without. */
import type { AgentToolResult } from "@tau/agent";
import { fitImage, identifyImage, type FittedImage } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { humanSize } from "./human-size.ts";
import { limits } from "./limits.ts";
import type { Source } from "./source.ts";

/** Detects an image by its first bytes, or by the machine's answer. */
export function isImage({ head, mimeType }: Source): boolean {
	return mimeType?.startsWith("image/") === true || identifyImage(head) !== undefined;
}

export async function readImage(
	source: Source,
	{ session: conversation, signal }: Pick<ToolContext, "session" | "signal">,
): Promise<AgentToolResult> {
	const { shown, head, size } = source;
	const info = identifyImage(head);
	const pixels = info?.size ? `${info.size.width}x${info.size.height} pixels, ` : "";
	const what = `${info?.mimeType ?? source.mimeType ?? "image"}, ${pixels}${humanSize(size)}`;
	const details = { mimeType: info?.mimeType, ...info?.size, bytes: size };
	if (!conversation.model.input.includes("image") && !conversation.describesImages) {
		const help =
			"This model does not support images; bash may have a tool that describes it (file, tesseract).";
		return textResult(`${shown} is an image (${what}). ${help}`, { ...details, sent: false });
	}
	const bytes = await source.bytes(limits.mediaBytes);
	if (!bytes) return errorResult(`${shown} is too large for an image (${humanSize(size)}). Make it smaller.`);
	const fitted = await fitImage(bytes, undefined, signal);
	if (!fitted.ok && source.mimeType !== undefined) {
		const data = Buffer.from(bytes).toString("base64");
		return {
			content: [
				{ type: "text", text: `${shown} (${what})` },
				{ type: "image", data, mimeType: source.mimeType },
			],
			details: { ...details, mimeType: source.mimeType, sent: true },
		};
	}
	if (!fitted.ok) return errorResult(`${shown}: ${fitted.message}`);
	const data = Buffer.from(fitted.bytes).toString("base64");
	return {
		content: [
			{ type: "text", text: `${shown} (${what})${aboutFitting(fitted)}` },
			{ type: "image", data, mimeType: fitted.mimeType },
		],
		details: { ...details, sent: true, sentWidth: fitted.width, sentHeight: fitted.height },
	};
}

/** A position in what the model sees is not the same position in the file. */
function aboutFitting({ width, height, original, frames }: FittedImage): string {
	const animation = frames === undefined ? "" : `, an animation: the first of ${frames} frames is shown`;
	if (!original) return animation;
	const scale = original.width / width;
	return scale === 1
		? animation
		: `${animation}, shown as ${width}x${height}: multiply coordinates by ${scale.toFixed(2)} for the file's own`;
}
