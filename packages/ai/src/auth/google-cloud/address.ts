/** Puts project and location into the address of a Vertex AI request. */
import { env as read, type Env } from "@tau/utils";

import { failure } from "../../failure.ts";
import type { Failure } from "../../types.ts";

const projectVariables = ["GOOGLE_CLOUD_PROJECT", "GCP_PROJECT", "GCLOUD_PROJECT"] as const;
const locationVariables = ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION"] as const;

/** The location that has all models, and the default of Google's own clients. */
const everywhere = "global";

/** Multi-region locations, whose servers have another naming scheme. */
const multiRegions = new Set(["us", "eu"]);

export function projectFrom(env: Env): string | undefined {
	return first(projectVariables, env);
}

export function locationFrom(env: Env): string {
	return first(locationVariables, env) ?? everywhere;
}

function first(variables: readonly string[], env: Env): string | undefined {
	return variables.map((name) => read(name, env)?.trim()).find(Boolean);
}

export function needsProject(url: string): boolean {
	return url.includes("{project}");
}

export const noProject: Failure = failure(
	"auth",
	`Vertex AI needs a Google Cloud project: set ${projectVariables[0]} to its id`,
);

/** Fills in the server of the location, if it is Google's, and the placeholders; a custom address may have none. */
export function fillAddress(url: string, location: string, project = ""): string {
	return url
		.replace(/^https:\/\/(?:\{location\}-)?aiplatform\.googleapis\.com(?=\/)/, `https://${hostFor(location)}`)
		.replaceAll("{location}", encodeURIComponent(location))
		.replaceAll("{project}", encodeURIComponent(project));
}

function hostFor(location: string): string {
	if (location === everywhere) return "aiplatform.googleapis.com";
	if (multiRegions.has(location)) return `aiplatform.${location}.rep.googleapis.com`;
	return `${encodeURIComponent(location)}-aiplatform.googleapis.com`;
}

/** A key alone identifies the account, at the server for all locations. */
export function fillForKey(url: string): string {
	return fillAddress(url, everywhere);
}
