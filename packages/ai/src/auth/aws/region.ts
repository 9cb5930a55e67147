/** Decides which region a request to Bedrock goes to, and moves the request there. */
import { env as read, type Env } from "@tau/utils";

import { checkedRegion, serviceUrl } from "./endpoint.ts";
import { profileName, readProfiles } from "./profiles.ts";

const fallback = "us-east-1";

/** The public addresses of Bedrock; all others are somebody's own, and stay as they are. */
const publicHost = /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com$/;

/** The resource that a model's id names by its full name is in one region only. */
const resource = /^arn:[\w-]+:bedrock:([a-z0-9-]+):/;

export async function regionFor(modelId: string, url: string, env: Env): Promise<string> {
	const region =
		resource.exec(modelId)?.[1] ??
		read("AWS_REGION", env) ??
		read("AWS_DEFAULT_REGION", env) ??
		(await profileRegion(env)) ??
		/\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(hostOf(url))?.[1] ??
		fallback;
	return checkedRegion(region);
}

/** The public address in this region, or where a variable says. */
export function inRegion(url: string, region: string, env: Env): string {
	const host = hostOf(url);
	const from = publicHost.exec(host)?.[1];
	if (from === undefined) return url;
	const { pathname, search } = new URL(url);
	const regional = `https://${host.replace(`.${from}.`, `.${region}.`)}`;
	const standard = serviceUrl("bedrock-runtime", region, {});
	const chosen = serviceUrl("bedrock-runtime", region, env);
	return (chosen === standard ? regional : chosen) + pathname + search;
}

/** A file that cannot be read is told by the search for credentials; whoever has a key does not need it. */
async function profileRegion(env: Env): Promise<string | undefined> {
	const profiles = await readProfiles(env).catch(() => undefined);
	return profiles?.profile(profileName(env))?.get("region");
}

function hostOf(url: string): string {
	return URL.canParse(url) ? new URL(url).host : "";
}
