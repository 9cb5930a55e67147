/**
 * Accepts arguments that are plain texts, numbers and switches by the JSON Schema of a tool. Most calls have no others, and
 * zod takes 5 ms to load. It never rejects: whatever is not certainly right is for zod, which says what is wrong with it.
 */
import type { JsonSchema } from "@tau/ai";
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * What is right for every parameter of such a type. Schemas for models leave out that texts are not empty or endless and
 * that numbers are positive (`schemaOf`). A test compares this with zod, for every built-in tool.
 */
const isPlain: Readonly<Record<string, (value: unknown) => boolean>> = {
	string: (value) =>
		typeof value === "string" && value !== "" && value.length <= limits.plainChars && value.trim() === value,
	number: (value) => Number.isFinite(value) && Number(value) > 0,
	integer: (value) => Number.isSafeInteger(value) && Number(value) > 0,
	boolean: (value) => typeof value === "boolean",
};

export class PlainArguments {
	/** By name; undefined for a property that is more than its type. */
	readonly #checks = new Map<string, ((value: unknown) => boolean) | undefined>();
	readonly #required: readonly unknown[];

	constructor({ properties, required }: JsonSchema) {
		for (const [name, property] of Object.entries(isRecord(properties) ? properties : {}))
			this.#checks.set(name, checkOf(property));
		this.#required = Array.isArray(required) ? required : [];
	}

	/** The arguments in the order of the schema; undefined if they may be wrong. */
	whole(args: Arguments): Record<string, unknown> | undefined {
		if (!this.#required.every((name) => typeof name === "string" && Object.hasOwn(args, name)))
			return undefined;
		return Object.keys(args).every((name) => this.#checks.has(name)) ? this.known(args) : undefined;
	}

	/** The same of a call that is incomplete or has arguments of no meaning. */
	known(args: Arguments): Record<string, unknown> | undefined {
		const plain: Record<string, unknown> = {};
		for (const [name, check] of this.#checks) {
			if (!Object.hasOwn(args, name)) continue;
			if (!check?.(args[name])) return undefined;
			plain[name] = args[name];
		}
		return plain;
	}
}

/** Undefined where the schema says more than a type. */
function checkOf(property: unknown): ((value: unknown) => boolean) | undefined {
	if (!isRecord(property) || typeof property.type !== "string") return undefined;
	const isMore = Object.keys(property).some((key) => key !== "type" && key !== "description");
	return isMore ? undefined : isPlain[property.type];
}
