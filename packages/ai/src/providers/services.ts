/** Services beside models that need a key, such as web search: the store keeps their keys as it does those of models. */
import { env as readEnv, registerSecret, type Env } from "@tau/utils";

export interface Service {
	readonly id: string;
	readonly label: string;
	/** Variables that may hold the key, strongest first. */
	readonly keys: readonly string[];
}

export const services: readonly Service[] = [
	service("tavily", "Tavily", "TAVILY_API_KEY"),
	service("perplexity", "Perplexity", "PERPLEXITY_API_KEY", "PPLX_API_KEY"),
	service("brave", "Brave Search", "BRAVE_API_KEY"),
	service("jina", "Jina", "JINA_API_KEY"),
	service("exa", "Exa", "EXA_API_KEY"),
	service("parallel", "Parallel", "PARALLEL_API_KEY"),
	service("kagi", "Kagi", "KAGI_API_KEY"),
];

/** The key of a service in the environment, and the variable that it is in. */
export function serviceKey(id: string, env: Env): { value: string; variable: string } | undefined {
	const keys = services.find((each) => each.id === id)?.keys ?? [];
	for (const variable of keys) {
		const value = readEnv(variable, env)?.trim();
		if (!value) continue;
		registerSecret(value);
		return { value, variable };
	}
	return undefined;
}

function service(id: string, label: string, ...keys: readonly string[]): Service {
	return { id, label, keys };
}
