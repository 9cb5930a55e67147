/** Decodes the lines of an Ollama chat answer. */
import type { Draft } from "../../draft.ts";
import { classify } from "../../failure.ts";
import { count, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { Prose } from "../prose.ts";

export class OllamaDecoder implements Decoder {
	readonly #draft: Draft;
	readonly #prose: Prose;

	constructor(draft: Draft) {
		this.#draft = draft;
		this.#prose = new Prose(draft);
	}

	event({ data }: ServerEvent): Failure | undefined {
		const line = parseObject(data);
		if (!line) return notJson(data, "a line");
		if (line.error !== undefined && line.error !== null) return classify({ body: line });
		this.#draft.start();
		const message = object(line.message);
		this.#prose.say("thinking", string(message.thinking));
		this.#prose.say("text", string(message.content));
		for (const call of list(message.tool_calls)) this.#call(object(call));
		if (line.done === true) this.#finish(line);
		return undefined;
	}

	end(): Failure | undefined {
		return endedEarly();
	}

	/** Calls arrive complete, and from older servers without an id. */
	#call(call: Json): void {
		this.#prose.end();
		const { name, arguments: args } = object(call.function);
		const index = this.#draft.openToolCall(string(call.id), string(name));
		this.#draft.append(index, typeof args === "string" ? args : JSON.stringify(args ?? {}));
		this.#draft.close(index);
	}

	#finish(line: Json): void {
		this.#draft.setUsage({ input: count(line.prompt_eval_count), output: count(line.eval_count) });
		this.#draft.done(line.done_reason === "length" ? "length" : this.#draft.wholeReason);
	}
}
