/** Settings about fetching web pages. */
import { limits } from "../limits.ts";

import { count, toggle } from "../setting.ts";

export const fetchSettings = {
	"fetch.enabled": toggle({
		description: "Let the model fetch http:// and https:// URLs.",
		default: true,
		notForProjects: "it controls what leaves the machine",
	}),
	"fetch.allowPrivate": toggle({
		description:
			"Also let the model fetch from this machine and its network, such as http://localhost:3000. When off, only the public internet is allowed.",
		default: false,
		notForProjects: "it exposes what is behind the firewall",
	}),
	"fetch.siteReaders": toggle({
		description:
			"Read well-known sites, such as GitHub, npm and Wikipedia, through their APIs. When off, their pages are read like any other.",
		default: true,
		notForProjects: "it controls which servers are asked",
	}),
	"fetch.timeoutSeconds": count(
		{ least: 1, most: limits.fetchTimeoutMaxSeconds, unit: "s" },
		{
			description: "The total time a page may take.",
			default: limits.fetchTimeoutSeconds,
			notForProjects: "it controls how long you wait",
		},
	),
	"fetch.maxMegabytes": count(
		{ least: 1, most: limits.fetchMegabytesMax, unit: "MB" },
		{
			description: "How much of a page is read, uncompressed; the rest is dropped.",
			default: limits.fetchMegabytes,
			notForProjects: "it controls how much is downloaded",
		},
	),
};
