/** Checks every frame between an editor and Tau against the official JSON schema of the protocol. */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import v1 from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json";
import v2 from "@agentclientprotocol/sdk/schema/v2/schema.json";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

type Side = "agent" | "client";
type Frame = Record<string, unknown>;
type Version = "v1" | "v2";

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const definitions: Record<Version, object> = { v1: v1.$defs, v2: v2.$defs };
ajv.addSchema({ ...v1, $id: "v1" });
ajv.addSchema({ ...v2, $id: "v2" });
const validators = new Map<string, ValidateFunction>();

interface Definition {
	"x-method"?: string;
	"x-side"?: string;
}

/** The definition of what a side is sent, or answers, for a method. */
function validator(
	version: Version,
	side: Side,
	method: string,
	end: "Request" | "Notification" | "Response",
): ValidateFunction | undefined {
	const name = Object.entries(definitions[version] as Record<string, Definition>).find(
		([each, definition]) =>
			each.endsWith(end) && definition["x-method"] === method && definition["x-side"] === side,
	)?.[0];
	if (name === undefined) return undefined;
	const key = `${version}#/$defs/${name}`;
	const known = validators.get(key) ?? ajv.compile({ $ref: key });
	validators.set(key, known);
	return known;
}

export class FrameCheck {
	readonly #version: Version;
	readonly #asked: Record<Side, Map<unknown, string>> = { agent: new Map(), client: new Map() };
	readonly #problems: string[] = [];
	/** The test sends wrong frames, to see how they are answered. */
	sendsWrong = false;
	/** How many frames were checked. */
	count = 0;
	/** Frames of the agent, as they came. */
	readonly frames: Frame[] = [];

	constructor(version: Version = "v1") {
		this.#version = version;
	}

	/** The same stream; everything that passes is checked. */
	watch({ readable, writable }: Stream): Stream {
		const seen = (from: Side) =>
			new TransformStream<AnyMessage, AnyMessage>({
				transform: (message, controller) => {
					this.#take(message as unknown as Frame, from);
					controller.enqueue(message);
				},
			});
		const outgoing = seen("client");
		void outgoing.readable.pipeTo(writable).catch(() => {});
		return { readable: readable.pipeThrough(seen("agent")), writable: outgoing.writable };
	}

	assertValid(): void {
		if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
	}

	#take(frame: Frame, from: Side): void {
		this.count++;
		if (from === "agent") this.frames.push(frame);
		const to: Side = from === "agent" ? "client" : "agent";
		const { id, method } = frame;
		if (from === "client" && this.sendsWrong) {
			if (typeof method === "string") this.#asked.client.set(id, method);
			return;
		}
		if (frame.jsonrpc !== "2.0") this.#problem(frame, "no JSON-RPC");
		if (typeof method === "string") {
			if (id !== undefined) this.#asked[from].set(id, method);
			if (method.startsWith("$/") || method.startsWith("_")) return;
			this.#validate(
				frame,
				frame.params,
				validator(this.#version, to, method, id === undefined ? "Notification" : "Request"),
			);
		} else if ("result" in frame) {
			const asked = this.#asked[to].get(id);
			if (asked === undefined) return this.#problem(frame, "answers nothing");
			// What is beside the protocol has no schema.
			if (asked.startsWith("_")) return;
			this.#validate(frame, frame.result, validator(this.#version, from, asked, "Response"));
		}
	}

	#validate(frame: Frame, value: unknown, validate: ValidateFunction | undefined): void {
		if (!validate) this.#problem(frame, "unknown method");
		else if (!validate(value)) this.#problem(frame, ajv.errorsText(validate.errors?.slice(0, 3)));
	}

	#problem(frame: Frame, reason: string): void {
		this.#problems.push(`${reason}: ${JSON.stringify(frame).slice(0, 400)}`);
	}
}
