/** Settings about rooms: sessions that are shared live over a relay. */
import { choice, text, toggle } from "../setting.ts";

export const collab = {
	"collab.relayUrl": text({
		description:
			"The relay that /collab shares through and that links without an address mean: relay.example.com, or ws://localhost:7475 for one on this machine (tau relay). Unset: /collab asks.",
		default: undefined,
		notForProjects: "it controls where your session is sent, sealed",
	}),
	"collab.displayName": text({
		description: "Your name for the others in a room. Unset: your user name.",
		default: undefined,
		notForProjects: "it is your name",
	}),
	"collab.autoStart": toggle({
		description: "Whether every session in a terminal is shared from its start, through collab.relayUrl.",
		default: false,
		notForProjects: "it controls who can reach the session",
	}),
	"collab.admit": choice(["all", "ask"], {
		description:
			"Who may join with a link: everybody who has it (all), or only those to whom you say yes (ask).",
		default: "all",
		notForProjects: "it controls who can reach the session",
	}),
};
