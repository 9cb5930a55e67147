/** Understands the lines of an Ollama chat answer. */
import type { Draft } from "../../draft.ts";
import { classify, failure } from "../../failure.ts";
import { count, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import type { Decoder, ServerEvent } from "../codec.ts";

export class OllamaDecoder implements Decoder {
	readonly #draft: Draft;
	#prose: { kind: "text" | "thinking"; index: number } | undefined;

	constructor(draft: Draft) {
		this.#draft = draft;
	}

	event({ data }: ServerEvent): Failure | undefined {
		const line = parseObject(data);
		if (!line) return failure("network", `The server sent a line that is not JSON: ${data}`);
		if (line.error !== undefined && line.error !== null) return classify({ body: line });
		this.#draft.start();
		const message = object(line.message);
		this.#say("thinking", string(message.thinking));
		this.#say("text", string(message.content));
		for (const call of list(message.tool_calls)) this.#call(object(call));
		if (line.done === true) this.#finish(line);
		return undefined;
	}

	end(): Failure | undefined {
		return failure("network", "The server closed the stream before the answer was complete");
	}

	#say(kind: "text" | "thinking", text: string): void {
		if (text === "") return;
		if (this.#prose?.kind !== kind) {
			this.#endProse();
			const index = kind === "text" ? this.#draft.openText() : this.#draft.openThinking();
			this.#prose = { kind, index };
		}
		this.#draft.append(this.#prose.index, text);
	}

	/** Calls come whole, and from older servers without an id. */
	#call(call: Json): void {
		this.#endProse();
		const { name, arguments: given } = object(call.function);
		const index = this.#draft.openToolCall(string(call.id), string(name));
		this.#draft.append(index, typeof given === "string" ? given : JSON.stringify(given ?? {}));
		this.#draft.close(index);
	}

	#endProse(): void {
		if (this.#prose) this.#draft.close(this.#prose.index);
		this.#prose = undefined;
	}

	#finish(line: Json): void {
		this.#draft.setUsage({ input: count(line.prompt_eval_count), output: count(line.eval_count) });
		this.#draft.done(line.done_reason === "length" ? "length" : this.#draft.wholeReason);
	}
}
