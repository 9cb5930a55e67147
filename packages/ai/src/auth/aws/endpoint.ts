/** Where Bedrock is: in a region, or where a variable says. */
import { env as read, type Env } from "@tau/utils";

import { Unusable } from "./unusable.ts";

/** `AWS_ENDPOINT_URL_<SERVICE>` and `AWS_ENDPOINT_URL` are the variables of all AWS tools. */
export function bedrockUrl(region: string, env: Env): string {
	const given = read("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", env) ?? read("AWS_ENDPOINT_URL", env);
	if (given !== undefined) return given.replace(/\/+$/, "");
	return `https://bedrock-runtime.${checkedRegion(region)}.amazonaws.com`;
}

/** It becomes a part of an address that credentials are sent to. */
export function checkedRegion(region: string): string {
	if (/^[a-z0-9-]{1,63}$/.test(region)) return region;
	throw new Unusable(`"${region}" is not an AWS region name such as us-east-1`);
}
