/** Draws messages and calls for pages: the renderer runs here, and what it returns is checked before a page gets it. */
import type { AgentToolResult } from "@tau/agent";
import type { CustomMessage } from "@tau/log";
import { errorText, oneLine, runAs, timer } from "@tau/utils";
import { webParts, webViewLimits, type WebDrawing, type WebPart } from "@tau/wire";

import { limits } from "../support/limits.ts";
import type { Extension } from "./extension.ts";

/** A text is Markdown. Nothing leaves it to the next renderer, and to the page in the end. */
export type WebOutput = string | WebPart | readonly WebPart[] | null | undefined;

export interface WebRenderOptions {
	/** Aborted when nobody waits for it any more. */
	readonly signal: AbortSignal;
}

/** A call that has ended. */
export interface WebCall {
	readonly toolCallId: string;
	readonly toolName: string;
	readonly args: Readonly<Record<string, unknown>>;
	readonly result: AgentToolResult;
	readonly isError: boolean;
}

export type WebMessageRenderer<T = unknown> = (
	message: CustomMessage<T>,
	options: WebRenderOptions,
) => WebOutput | Promise<WebOutput>;
export type WebToolRenderer = (call: WebCall, options: WebRenderOptions) => WebOutput | Promise<WebOutput>;

/** `pi.web`: what pages show of an extension, beside what terminals show. */
export interface WebRenderers {
	/** Draws the messages that `sendMessage` adds with this type. */
	renderer<T = unknown>(customType: string, render: WebMessageRenderer<T>): void;
	/** Draws the results of these tools, or of all, where the user opens a call. */
	toolRenderer(names: readonly string[] | "*", render: WebToolRenderer): void;
}

/** Undefined if no extension draws it. */
export async function messageForWeb(
	extensions: readonly Extension[],
	message: CustomMessage,
): Promise<WebDrawing | undefined> {
	for (const extension of extensions) {
		const render = extension.webRenderers.get(message.customType);
		const drawing = render && (await drawn(extension, (options) => render(message, options)));
		if (drawing) return drawing;
	}
	return undefined;
}

export async function callForWeb(
	extensions: readonly Extension[],
	call: WebCall,
): Promise<WebDrawing | undefined> {
	for (const extension of extensions) {
		for (const { names, render } of extension.webToolRenderers) {
			if (names !== "*" && !names.includes(call.toolName)) continue;
			const drawing = await drawn(extension, (options) => render(call, options));
			if (drawing) return drawing;
		}
	}
	return undefined;
}

/** Never rejects: what a renderer throws is said in the page, above what it shows instead. */
async function drawn(
	{ label }: Extension,
	draw: (options: WebRenderOptions) => WebOutput | Promise<WebOutput>,
): Promise<WebDrawing | undefined> {
	const stop = new AbortController();
	const late = Promise.withResolvers<never>();
	using _deadline = timer(limits.webDrawMs, () => {
		late.reject(new Error(`it did not return within ${limits.webDrawMs / 1000} s`));
		stop.abort();
	});
	try {
		const work = runAs(label, "render", () => draw({ signal: stop.signal }));
		const output = await Promise.race([work, late.promise]);
		return output === undefined || output === null ? undefined : { parts: checked(output) };
	} catch (error) {
		return { problem: `${label} cannot draw this: ${oneLine(errorText(error), limits.webProblemChars)}` };
	}
}

function checked(output: Exclude<WebOutput, null | undefined>): WebPart[] {
	const list = typeof output === "string" ? [{ type: "markdown", text: output }] : [output].flat();
	const { success, data, error } = webParts().safeParse(list);
	if (!success) {
		const [first] = error.issues;
		throw new Error(`${first?.path.join(".") ?? "output"}: ${first?.message ?? "not a part"}`);
	}
	const chars = JSON.stringify(data).length;
	if (chars > webViewLimits.chars)
		throw new Error(`it is ${chars} characters long; at most ${webViewLimits.chars} are shown`);
	return data;
}
