/** Settings about shares: sessions that others read as a snapshot. */
import { choice, count, text, toggle } from "../setting.ts";

export const share = {
	"share.serverUrl": text({
		description:
			"The relay that /share uploads to, sealed: https://relay.example.com, or http://localhost:7475 for one on this machine (tau relay). Unset: the relay of collab.relayUrl. Nothing is sent before you have seen it and said yes.",
		default: undefined,
		notForProjects: "it controls where your session is sent",
	}),
	"share.store": choice(["relay", "gist", "file"], {
		description:
			"Where /share puts a session: on a relay (relay), in a secret gist by the program gh (gist), both sealed, or in a page on this machine that you pass on yourself (file).",
		default: "relay",
		notForProjects: "it controls where your session is sent",
	}),
	"share.redactSecrets": toggle({
		description:
			"Mask keys, tokens, passwords and the name of your home directory in shares. You see each finding first, and can keep it.",
		default: true,
		notForProjects: "it controls what leaves your machine",
	}),
	"share.ttlDays": count(
		{ least: 1, most: 365, unit: "days" },
		{
			description: "How many days a relay keeps a share.",
			default: 30,
			notForProjects: "it controls how long your session can be read",
		},
	),
};
