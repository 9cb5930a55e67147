/** Settings about reading pages of the web. */
import { limits } from "../limits.ts";

import { count, toggle } from "../setting.ts";

export const fetchSettings = {
	"fetch.enabled": toggle({
		description: "Let models read http:// and https:// addresses.",
		default: true,
		notForProjects: "it decides what leaves the machine",
	}),
	"fetch.allowPrivate": toggle({
		description:
			"Let models read addresses of this machine and its network too, such as http://localhost:3000. Off, only the open internet is fetched from.",
		default: false,
		notForProjects: "it opens what lies behind the firewall",
	}),
	"fetch.timeoutSeconds": count(
		{ least: 1, most: limits.fetchTimeoutMaxSeconds, unit: "s" },
		{
			description: "How long a page may take in all.",
			default: limits.fetchTimeoutSeconds,
			notForProjects: "it decides how long you wait",
		},
	),
	"fetch.maxMegabytes": count(
		{ least: 1, most: limits.fetchMegabytesMax, unit: "MB" },
		{
			description: "What is read of a page, unpacked; the rest is left out.",
			default: limits.fetchMegabytes,
			notForProjects: "it decides how much is loaded",
		},
	),
};
