/** Settings about searching the web. */
import { choice, text, toggle } from "../setting.ts";

const outgoing = "it controls what leaves the machine";

/** In the order in which they are tried. */
const searchProviders = [
	"tavily",
	"perplexity",
	"brave",
	"jina",
	"kimi",
	"anthropic",
	"gemini",
	"codex",
	"zai",
	"exa",
	"parallel",
	"kagi",
	"synthetic",
	"searxng",
] as const;

export const webSearchSettings = {
	"web_search.enabled": toggle({
		description: "Let the model search the web.",
		default: true,
		notForProjects: outgoing,
	}),
	"providers.webSearch": choice(["auto", ...searchProviders], {
		description:
			"The search service that is tried first. exa and perplexity also work without a key if they are chosen here.",
		default: "auto",
		notForProjects: outgoing,
	}),
	"exa.enabled": toggle({
		description: "Use Exa.",
		default: true,
		notForProjects: outgoing,
	}),
	"exa.enableSearch": toggle({
		description: "Search the web with Exa.",
		default: true,
		notForProjects: outgoing,
	}),
	"searxng.endpoint": text({
		description: "The address of your SearXNG server. Unset: the variable SEARXNG_ENDPOINT.",
		default: undefined,
		notForProjects: outgoing,
	}),
	"searxng.token": text({
		description: "Bearer token of your SearXNG server. Defaults to $SEARXNG_TOKEN.",
		default: undefined,
		isSecret: true,
		notForProjects: outgoing,
	}),
	"searxng.basicUsername": text({
		description:
			"The user name for Basic authentication, which is preferred to the token. Unset: the variable SEARXNG_BASIC_USERNAME.",
		default: undefined,
		notForProjects: outgoing,
	}),
	"searxng.basicPassword": text({
		description: "The password for Basic authentication. Unset: the variable SEARXNG_BASIC_PASSWORD.",
		default: undefined,
		isSecret: true,
		notForProjects: outgoing,
	}),
	"searxng.categories": text({
		description: "Categories to search, such as it,science.",
		default: undefined,
		notForProjects: outgoing,
	}),
	"searxng.language": text({
		description: "The language of the results, such as en or de-CH.",
		default: undefined,
		notForProjects: outgoing,
	}),
};
