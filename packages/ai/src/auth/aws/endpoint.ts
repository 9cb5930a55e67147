/** Where the services of AWS are: in a region, or where a variable says. */
import { env as read, type Env } from "@tau/utils";

import { Unusable } from "./unusable.ts";

const hosts = {
	"bedrock-runtime": "bedrock-runtime",
	sts: "sts",
	sso: "portal.sso",
} as const;

type Service = keyof typeof hosts;

/** `AWS_ENDPOINT_URL_<SERVICE>` and `AWS_ENDPOINT_URL` are the variables of all AWS tools. */
export function serviceUrl(service: Service, region: string, env: Env): string {
	const variable = `AWS_ENDPOINT_URL_${service.replaceAll("-", "_").toUpperCase()}`;
	const given = read(variable, env) ?? read("AWS_ENDPOINT_URL", env);
	if (given !== undefined) return given.replace(/\/+$/, "");
	return `https://${hosts[service]}.${checkedRegion(region)}.amazonaws.com`;
}

/** It becomes a part of an address that credentials are sent to. */
export function checkedRegion(region: string): string {
	if (/^[a-z0-9-]{1,63}$/.test(region)) return region;
	throw new Unusable(`"${region}" is not the name of an AWS region, such as us-east-1`);
}
