/** Videos and music: transcripts of YouTube, and what Vimeo and Spotify say about a page. */
import { at, firstText, listAt, textAt } from "../../json/read.ts";
import { facts, paragraphs, section, SiteFailure, type SiteIo, type SiteReader } from "./site.ts";

const youtube: SiteReader = {
	name: "YouTube",
	hosts: ["www.youtube.com", "youtube.com", "m.youtube.com", "youtu.be"],
	async read({ url, parts }, io) {
		const id =
			url.hostname === "youtu.be"
				? parts[0]
				: (url.searchParams.get("v") ??
					(["shorts", "embed", "live"].includes(parts[0] ?? "") ? parts[1] : undefined));
		if (id === undefined || !/^[\w-]{11}$/.test(id)) return undefined;
		// The client of phones is the one that gets captions without proving that it is a browser.
		const json = await io.json("https://www.youtube.com/youtubei/v1/player?prettyPrint=false", {
			body: {
				context: { client: { clientName: "ANDROID", clientVersion: "20.10.38", hl: "en" } },
				videoId: id,
			},
		});
		const title = textAt(json, "videoDetails.title");
		if (title === "") throw new SiteFailure(textAt(json, "playabilityStatus.reason") || "no such video");
		const seconds = Number(textAt(json, "videoDetails.lengthSeconds"));
		return {
			title: `${title} (YouTube)`,
			text: paragraphs(
				facts(
					["Channel", textAt(json, "videoDetails.author")],
					["Length", Number.isFinite(seconds) ? clock(seconds) : ""],
					["Views", textAt(json, "videoDetails.viewCount")],
				),
				section("Description", textAt(json, "videoDetails.shortDescription")),
				await transcript(listAt(json, "captions.playerCaptionsTracklistRenderer.captionTracks"), io),
			),
		};
	},
};

/** Written captions before generated ones, English before others. */
async function transcript(tracks: readonly unknown[], io: SiteIo): Promise<string> {
	const rank = (track: unknown): number =>
		(textAt(track, "languageCode").startsWith("en") ? 0 : 2) + (textAt(track, "kind") === "asr" ? 1 : 0);
	const [best] = tracks.toSorted((a, b) => rank(a) - rank(b));
	const address = URL.parse(textAt(best, "baseUrl"));
	// The address comes from the answer: only YouTube's own is followed.
	if (!address || address.protocol !== "https:" || !/(?:^|\.)youtube\.com$/.test(address.hostname))
		return "There is no transcript.";
	address.searchParams.set("fmt", "json3");
	const lines = listAt(await io.json(address.href), "events").flatMap((event) => {
		const text = listAt(event, "segs")
			.map((each) => String(at(each, "utf8") ?? ""))
			.join("")
			.replace(/\s+/g, " ")
			.trim();
		return text === "" ? [] : [{ at: Number(textAt(event, "tStartMs")) / 1000, text }];
	});
	const kind = textAt(best, "kind") === "asr" ? ", generated" : "";
	return section(`Transcript (${textAt(best, "languageCode")}${kind})`, inMinutes(lines));
}

/** One paragraph for each half minute. */
function inMinutes(lines: readonly { at: number; text: string }[]): string {
	const groups = Map.groupBy(lines, (line) => Math.floor(line.at / 30));
	return [...groups]
		.map(([part, all]) => `[${clock(part * 30)}] ${all.map(({ text }) => text).join(" ")}`)
		.join("\n\n");
}

function clock(seconds: number): string {
	const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
	return (parts[0] === 0 ? parts.slice(1) : parts).map((each) => String(each).padStart(2, "0")).join(":");
}

/** Sites that describe a page by oEmbed. */
function embedded(name: string, hosts: readonly string[], endpoint: string, path: RegExp): SiteReader {
	return {
		name,
		hosts,
		async read({ url }, io) {
			if (!path.test(url.pathname)) return undefined;
			const json = await io.json(`${endpoint}?url=${encodeURIComponent(url.href)}`);
			const title = textAt(json, "title");
			if (title === "") return undefined;
			return {
				title: `${title} (${name})`,
				text: paragraphs(
					facts(
						["Author", textAt(json, "author_name")],
						["Kind", textAt(json, "type")],
						["Seconds", textAt(json, "duration")],
						["Uploaded", textAt(json, "upload_date")],
					),
					firstText(json, "description"),
				),
			};
		},
	};
}

export const videos: readonly SiteReader[] = [
	youtube,
	embedded("Vimeo", ["vimeo.com"], "https://vimeo.com/api/oembed.json", /^\/(?:channels\/[^/]+\/)?\d+/),
	embedded(
		"Spotify",
		["open.spotify.com"],
		"https://open.spotify.com/oembed",
		/^\/(?:track|album|artist|playlist|episode|show)\/\w+/,
	),
];
