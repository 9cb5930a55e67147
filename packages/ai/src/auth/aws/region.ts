/** Decides which region a request to Bedrock goes to, and moves the request there. */
import { env as read, type Env } from "@tau/utils";

import { TokenCache, type Token } from "../token-cache.ts";
import { cacheKey, profileRegion, type Profile } from "./profile.ts";
import { Unusable } from "./unusable.ts";

const fallback = "us-east-1";

/** The public addresses of Bedrock; all others are custom, and stay unchanged. */
const publicHost = /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com$/;

/** A resource with a full ARN is in one region only. */
const resource = /^arn:[\w-]+:bedrock:([a-z0-9-]+):/;

/** Calling the CLI takes about a second; the answer is valid until the files of the profile change. */
const cache = new TokenCache<Token<string | undefined>>();

export async function regionFor(
	modelId: string,
	url: string,
	env: Env,
	profile: Profile,
	signal: AbortSignal,
): Promise<string> {
	const region =
		resource.exec(modelId)?.[1] ??
		read("AWS_REGION", env) ??
		read("AWS_DEFAULT_REGION", env) ??
		(await regionOf(env, profile, signal)) ??
		/\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(hostOf(url))?.[1] ??
		fallback;
	return checkedRegion(region);
}

async function regionOf(env: Env, profile: Profile, signal: AbortSignal): Promise<string | undefined> {
	const region = await cache.get(cacheKey(env, profile), signal, async (shared) => ({
		value: await profileRegion(env, profile, shared),
		expiresAt: Infinity,
	}));
	return region.value;
}

/** The public address in this region, or the address of a variable. */
export function inRegion(url: string, region: string, env: Env): string {
	const host = hostOf(url);
	const from = publicHost.exec(host)?.[1];
	if (from === undefined) return url;
	const { pathname, search } = new URL(url);
	const regional = `https://${host.replace(`.${from}.`, `.${region}.`)}`;
	const standard = bedrockUrl(region, {});
	const chosen = bedrockUrl(region, env);
	return (chosen === standard ? regional : chosen) + pathname + search;
}

function hostOf(url: string): string {
	return URL.canParse(url) ? new URL(url).host : "";
}

/** `AWS_ENDPOINT_URL_<SERVICE>` and `AWS_ENDPOINT_URL` are the variables of all AWS tools. */
function bedrockUrl(region: string, env: Env): string {
	const endpoint = read("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", env) ?? read("AWS_ENDPOINT_URL", env);
	if (endpoint !== undefined) return endpoint.replace(/\/+$/, "");
	return `https://bedrock-runtime.${checkedRegion(region)}.amazonaws.com`;
}

/** The region becomes part of an address that credentials are sent to. */
function checkedRegion(region: string): string {
	if (/^[a-z0-9-]{1,63}$/.test(region)) return region;
	throw new Unusable(`"${region}" is not an AWS region name, such as us-east-1`);
}
