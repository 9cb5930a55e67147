/** Makes the result of a server's tool one that a model can read: bounded text, images, and the addresses of the rest. */
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import type { AgentToolResult } from "@tau/agent";
import { fitImage } from "@tau/sys";
import { OutputSink } from "@tau/tools/output";
import type { ToolEnv } from "@tau/tools/tool";

import { limits } from "./limits.ts";

type Part = AgentToolResult["content"][number];
type Env = Pick<ToolEnv, "artifacts" | "session">;

export interface ResultSource {
	server: string;
	/** As the model calls it. */
	toolName: string;
	/** As the server calls it. */
	tool: string;
}

export async function toolResult(
	result: CallToolResult,
	{ server, tool, toolName }: ResultSource,
	env: Env,
	signal: AbortSignal,
): Promise<AgentToolResult> {
	const blocks = result.content.slice(0, limits.resultBlocks);
	const parts = await contentOf(blocks, server, env, signal);
	const hasText = parts.texts.length + parts.images.length > 0;
	const { structuredContent } = result;
	// Servers repeat structured content as text; the ones that do not have nothing else to say.
	if (!hasText && structuredContent !== undefined)
		parts.texts.push(JSON.stringify(structuredContent, null, 2));
	if (result.content.length > blocks.length)
		parts.texts.push(`(${result.content.length - blocks.length} more parts were left out)`);
	const text = bounded(parts.texts.join("\n\n"), toolName, env);
	const isError = result.isError === true;
	const shown = isError ? `Error: ${text}` : text;
	const content: Part[] = [
		...(shown === "" && parts.images.length > 0 ? [] : [textPart(shown || "(no output)")]),
		...parts.images,
	];
	return {
		content,
		details: { serverName: server, mcpToolName: tool },
		...(isError ? { isError } : {}),
		...(structuredContent === undefined ? {} : { structuredContent }),
	};
}

/** What `read` shows of a resource. */
export function resourceText({ contents }: ReadResourceResult, server: string, env: Env): string {
	const texts = contents.slice(0, limits.resultBlocks).map((one) => {
		if ("text" in one) return one.text;
		return fileNote(one.blob, one.mimeType, server, env);
	});
	return texts.join("\n\n");
}

async function contentOf(
	blocks: readonly ContentBlock[],
	server: string,
	env: Env,
	signal: AbortSignal,
): Promise<{ texts: string[]; images: Part[] }> {
	const texts: string[] = [];
	const images: Part[] = [];
	for (const block of blocks) {
		if (block.type === "text") texts.push(block.text);
		else if (block.type === "image") {
			const image = images.length < limits.resultImages ? await imagePart(block, env, signal) : undefined;
			if (image) images.push(image);
			else texts.push(fileNote(block.data, block.mimeType, server, env));
		} else if (block.type === "audio") texts.push(fileNote(block.data, block.mimeType, server, env));
		else if (block.type === "resource_link")
			texts.push(
				`${block.title ?? block.name}: mcp://${server}/${block.uri}${block.description ? ` (${block.description})` : ""}`,
			);
		else if ("text" in block.resource) texts.push(`${block.resource.uri}:\n${block.resource.text}`);
		else
			texts.push(
				`${block.resource.uri}: ${fileNote(block.resource.blob, block.resource.mimeType, server, env)}`,
			);
	}
	return { texts, images };
}

/** Undefined for a model without vision, and if it is not an image. */
async function imagePart(
	{ data, mimeType }: { data: string; mimeType: string },
	{ session }: Env,
	signal: AbortSignal,
): Promise<Part | undefined> {
	if (!session.model.input.includes("image")) return undefined;
	const fitted = await fitImage(Buffer.from(data, "base64"), undefined, signal);
	if (!fitted.ok) return undefined;
	const isSame = fitted.bytes.length === Buffer.byteLength(data, "base64");
	return {
		type: "image",
		data: isSame ? data : Buffer.from(fitted.bytes).toString("base64"),
		mimeType: isSame ? mimeType : fitted.mimeType,
	};
}

/** What a model cannot read is kept as a file that its other tools can. */
function fileNote(base64: string, mimeType: string | undefined, server: string, env: Env): string {
	const bytes = Buffer.from(base64, "base64");
	const what = `${mimeType ?? "data"}, ${bytes.length} bytes`;
	try {
		using artifact = env.artifacts.open(`mcp-${server}`);
		artifact.write(bytes);
		return `(${what}: artifact://${artifact.id})`;
	} catch {
		return `(${what}; it could not be stored)`;
	}
}

/** Control sequences are stripped by the sink, as for the output of commands. */
function bounded(text: string, toolName: string, { artifacts }: Env): string {
	using sink = new OutputSink({ tool: toolName, artifacts });
	sink.push(Buffer.from(text));
	return sink.summary().text;
}

function textPart(text: string): Part {
	return { type: "text", text };
}
