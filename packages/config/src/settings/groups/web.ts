/** Settings about Tau in the browser (`tau web`). */
import { limits } from "../limits.ts";
import { count, list } from "../setting.ts";

export const web = {
	"web.port": count(
		{ least: 0, most: 65_535 },
		{
			description:
				"The port of 127.0.0.1 on which tau web listens; another one is taken if it is in use. --port takes precedence. A browser keeps what it stores for this port alone.",
			default: limits.webPort,
			notForProjects: "it controls where Tau listens",
		},
	),
	"web.origins": list({
		description:
			"Further addresses under which the page may be opened: those of a proxy of yours in front of it, such as https://laptop.example.ts.net. Each has to be exactly what the browser shows, without a path.",
		notForProjects: "it controls who can reach your sessions",
	}),
};
