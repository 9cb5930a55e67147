/** What a request is sent with, as one value: the key, what else belongs to it, and where the account sends the request. */
import type { Model, StreamOptions } from "./types.ts";

export interface Access {
	apiKey?: string;
	headers?: Readonly<Record<string, string>>;
	/** Where the request goes, where the account decides that. */
	baseUrl?: string;
}

const movedModels = new WeakMap<Model, Model>();

/** The model at the address of the account: the same object for the same address, because what was encoded for a model is reused. */
export function modelAt(model: Model, { baseUrl }: Access): Model {
	if (baseUrl === undefined || baseUrl === model.baseUrl) return model;
	const known = movedModels.get(model);
	if (known?.baseUrl === baseUrl) return known;
	const moved = { ...model, baseUrl };
	movedModels.set(model, moved);
	return moved;
}

/** The key and its headers, as options of a request; other headers stay. */
export function accessOptions(
	{ apiKey, headers }: Access,
	options: Pick<StreamOptions, "headers"> = {},
): Pick<StreamOptions, "apiKey" | "headers"> {
	return {
		...(apiKey === undefined ? {} : { apiKey }),
		...(headers ? { headers: { ...options.headers, ...headers } } : {}),
	};
}
