/** The parts of the server's items that our messages keep, so that the same model gets them back unchanged. */
import { isObject, list, object, parseObject, string, type Json } from "../../json.ts";
import { limits } from "./limits.ts";

/** A call has two ids: one for its result, and one of the item. Ours contains both. */
export function joinCallId(item: Json): string {
	const [callId, itemId] = [string(item.call_id), string(item.id)];
	return callId && itemId ? `${callId}|${itemId}` : callId || itemId;
}

export function splitCallId(id: string): { callId: string; itemId?: string } {
	const bar = id.indexOf("|");
	return bar < 0 ? { callId: id } : { callId: id.slice(0, bar), ...knownId("itemId", id.slice(bar + 1)) };
}

/** The phase distinguishes commentary from the final answer; models do worse when it is not sent back. */
export function writeTextSignature(item: Json): string | undefined {
	const [id, phase] = [string(item.id), string(item.phase)];
	if (phase === "") return id || undefined;
	return JSON.stringify({ v: 1, id, phase });
}

export function readTextSignature(signature: string | undefined): { id?: string; phase?: string } {
	if (!signature) return {};
	const written = signature.startsWith("{") ? object(parseObject(signature)) : { id: signature };
	const phase = string(written.phase);
	return { ...knownId("id", string(written.id)), ...(phase ? { phase } : {}) };
}

/** Only what the server accepts back: its encrypted content, or the plain text of servers without it. */
export function writeReasoning(item: Json): string | undefined {
	const replayable = replayableReasoning(item);
	return replayable && JSON.stringify(replayable);
}

export function readReasoning(signature: string | undefined): Json | undefined {
	const item = signature ? parseObject(signature) : undefined;
	return item?.type === "reasoning" ? replayableReasoning(item) : undefined;
}

function replayableReasoning(item: Json): Json | undefined {
	const secret = string(item.encrypted_content);
	const content = list(item.content).filter(isObject);
	if (secret === "" && content.length === 0) return undefined;
	return {
		type: "reasoning",
		...knownId("id", string(item.id)),
		summary: list(item.summary),
		// Plain text is refused beside encrypted content.
		...(secret === "" ? { content } : { encrypted_content: secret }),
	};
}

function knownId<Name extends string>(name: Name, id: string): { [name in Name]?: string } {
	const known: { [name in Name]?: string } = {};
	if (id !== "" && id.length <= limits.idChars) known[name] = id;
	return known;
}
