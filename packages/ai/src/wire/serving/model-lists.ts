/** The list of models in each vendor's form. */
import type { Model } from "../../types.ts";
import { decoded } from "./routes.ts";

/** Undefined for an address that is no list. */
export function modelList(
	request: Request,
	pathname: string,
	models: readonly Model[],
): Response | undefined {
	const [, version, name] = /^\/(v1beta|v1)\/models(?:\/(.+))?$/.exec(pathname) ?? [];
	if (request.method !== "GET" || version === undefined) return undefined;
	const form = version === "v1beta" ? google : request.headers.has("anthropic-version") ? anthropic : openai;
	if (name === undefined) return Response.json(form.list(models));
	const wanted = decoded(name);
	const model = models.find(({ provider, id }) => wanted === `${provider}/${id}` || wanted === id);
	return model && Response.json(form.one(model));
}

interface ListForm {
	one(model: Model): object;
	list(models: readonly Model[]): object;
}

const openai: ListForm = {
	one: (model) => ({ id: nameOf(model), object: "model", created: 0, owned_by: model.provider }),
	list: (models) => ({ object: "list", data: models.map(openai.one) }),
};

const anthropic: ListForm = {
	one: (model) => ({
		type: "model",
		id: nameOf(model),
		display_name: model.name,
		created_at: "1970-01-01T00:00:00Z",
	}),
	list: (models) => {
		const data = models.map(anthropic.one);
		const ends = [models[0], models.at(-1)].map((model) => (model ? nameOf(model) : null));
		return { data, has_more: false, first_id: ends[0], last_id: ends[1] };
	},
};

const google: ListForm = {
	one: (model) => ({
		name: `models/${nameOf(model)}`,
		displayName: model.name,
		inputTokenLimit: model.contextWindow,
		outputTokenLimit: model.maxTokens,
		supportedGenerationMethods: ["generateContent", "countTokens"],
	}),
	list: (models) => ({ models: models.map(google.one) }),
};

/** As clients and keys name it. */
export function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}
