/** Encodes what a request has in common with the one before it once: the messages of a conversation, and its tools. */
import { written, type Json } from "../json.ts";
import type { Message, Model, Tool } from "../types.ts";

/** For a message that is part of every further request; what is returned must not be changed. */
export function encodeMessageOnce<T extends object>(
	encode: (model: Model, message: Message) => T,
): (model: Model, message: Message) => T {
	const known = new WeakMap<Model, WeakMap<Message, T>>();
	return (model, message) =>
		known
			.getOrInsertComputed(model, () => new WeakMap())
			.getOrInsertComputed(message, () => encode(model, message));
}

interface EncodedTool extends Pick<Tool, "name" | "description" | "parameters" | "strict"> {
	readonly encoded: Json;
}

/** A tool may get another description: then it is encoded again. */
export function encodeToolOnce(
	encode: (model: Model, tool: Tool) => Json,
): (model: Model, tool: Tool) => Json {
	const byModel = new WeakMap<Model, WeakMap<Tool, EncodedTool>>();
	return (model, tool) => {
		const { name, description, parameters, strict } = tool;
		const byTool = byModel.getOrInsertComputed(model, () => new WeakMap());
		const known = byTool.get(tool);
		const isSame =
			known?.name === name &&
			known.description === description &&
			known.parameters === parameters &&
			known.strict === strict;
		if (isSame) return known.encoded;
		const encoded = written(encode(model, tool));
		byTool.set(tool, { name, description, parameters, ...(strict === undefined ? {} : { strict }), encoded });
		return encoded;
	};
}
