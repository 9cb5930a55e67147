/** Recorded pages of questions, discussions and videos. */
import type { RecordedSite } from "./recorded-site.ts";

const so = "https://api.stackexchange.com/2.3/questions/11";

export const talks: readonly RecordedSite[] = [
	{
		reader: "X",
		url: "https://twitter.com/ada/status/1234567890?s=20",
		answers: {
			"https://publish.x.com/oembed?omit_script=1&dnt=true&url=https%3A%2F%2Fx.com%2Fada%2Fstatus%2F1234567890":
				{
					author_name: "Ada",
					html: "<blockquote><p>Hello <a href='https://t.co/x'>there</a></p>&mdash; Ada</blockquote>",
				},
		},
		title: "Post of Ada",
		includes: ["Hello [there](https://t.co/x)"],
	},
	{
		reader: "Stack Exchange",
		url: "https://stackoverflow.com/questions/11/how-to",
		answers: {
			[`${so}?site=stackoverflow.com&filter=withbody`]: {
				items: [
					{
						title: "How to &lt;do&gt;?",
						body: "<p>I <b>try</b></p><pre><code>x = 1</code></pre>",
						score: 3,
						tags: ["python"],
						creation_date: 1_767_312_000,
						owner: { display_name: "Ada" },
					},
				],
			},
			[`${so}/answers?order=desc&sort=votes&pagesize=10&site=stackoverflow.com&filter=withbody`]: {
				items: [{ is_accepted: true, score: 9, body: "<p>So.</p>", owner: { display_name: "Bob" } }],
			},
		},
		title: "How to <do>?",
		includes: [
			"- Asked: 2026-01-02 by Ada",
			"I **try**",
			"```\nx = 1\n```",
			"### Answer of Bob (score 9, accepted)\n\nSo.",
		],
	},
	{
		reader: "Stack Exchange",
		url: "https://unix.stackexchange.com/q/11",
		answers: {
			[`${so}?site=unix.stackexchange.com&filter=withbody`]: {
				items: [{ title: "Why?", body: "<p>Because</p>" }],
			},
			[`${so}/answers?order=desc&sort=votes&pagesize=10&site=unix.stackexchange.com&filter=withbody`]: {
				items: [],
			},
		},
		title: "Why?",
		includes: ["Because"],
	},
	{
		reader: "Stack Exchange",
		url: "https://es.stackoverflow.com/questions/11/como?page=2",
		answers: {
			[`${so}?site=es.stackoverflow.com&filter=withbody`]: {
				items: [{ title: "¿Cómo?", body: "<p>Así</p>", answer_count: 23 }],
			},
			[`${so}/answers?order=desc&sort=votes&pagesize=10&page=2&site=es.stackoverflow.com&filter=withbody`]: {
				items: Array.from({ length: 10 }, () => ({ score: 1, body: "<p>Sí</p>" })),
			},
		},
		title: "¿Cómo?",
		includes: [
			"[11 to 20 of 23 answers shown. The next: https://es.stackoverflow.com/questions/11/como?page=3]",
		],
	},
	{
		reader: "Stack Exchange",
		url: "https://unix.meta.stackexchange.com/q/11",
		answers: {
			[`${so}?site=unix.meta.stackexchange.com&filter=withbody`]: {
				items: [{ title: "Why?", body: "<p>Because</p>" }],
			},
			[`${so}/answers?order=desc&sort=votes&pagesize=10&site=unix.meta.stackexchange.com&filter=withbody`]: {
				items: [],
			},
		},
		title: "Why?",
		includes: ["Because"],
	},
	{
		reader: "Discourse",
		url: "https://discuss.python.org/t/a-topic/43",
		answers: {
			"https://discuss.python.org/t/43.json": {
				title: "A long topic",
				posts_count: 50,
				chunk_size: 20,
				post_stream: {
					posts: Array.from({ length: 20 }, () => ({ username: "ada", cooked: "<p>Post</p>" })),
				},
			},
		},
		title: "A long topic",
		includes: ["[20 of 50 posts shown. The next: https://discuss.python.org/t/a-topic/43?page=2]"],
	},
	{
		reader: "Reddit",
		url: "https://www.reddit.com/r/rust/comments/2abc/a_post/?sort=new",
		answers: {
			"https://www.reddit.com/r/rust/comments/2abc.json?limit=100&raw_json=1&sort=new": [
				{ data: { children: [{ data: { title: "Busy", num_comments: 500 } }] } },
				{
					data: {
						children: [
							{ kind: "t1", data: { author: "bob", score: 2, body: "First" } },
							{ kind: "more", data: { count: 499 } },
						],
					},
				},
			],
		},
		title: "Busy",
		includes: ["**bob (2)**: First", "[1 of 500 comments shown. Replies have addresses of their own.]"],
	},
	{
		reader: "Hacker News",
		url: "https://news.ycombinator.com/item?id=1",
		answers: {
			"https://hn.algolia.com/api/v1/items/1": {
				title: "Show HN",
				url: "https://x.example/",
				points: 5,
				author: "pg",
				created_at: "2026-01-02T00:00:00Z",
				text: null,
				children: [
					{ author: "a", text: "<p>One &amp; two", children: [{ author: "b", text: "Reply", children: [] }] },
					{ author: null, text: null, children: [] },
				],
			},
		},
		title: "Show HN",
		includes: ["- Link: https://x.example/", "**a**: One & two\n\n> **b**: Reply"],
	},
	{
		reader: "Hacker News",
		url: "https://news.ycombinator.com/",
		answers: {
			"https://hn.algolia.com/api/v1/search?tags=front_page&hitsPerPage=30": {
				hits: [
					{ title: "B", url: "https://b.example/", points: 5, num_comments: 6, objectID: "8" },
					{ title: "A", url: "https://a.example/", points: 1, num_comments: 2, objectID: "9" },
				],
			},
			"https://hacker-news.firebaseio.com/v0/topstories.json": [9, 8],
		},
		title: "Hacker News",
		includes: [
			"- A (1 points, 2 comments)\n  https://a.example/\n  https://news.ycombinator.com/item?id=9\n- B (5",
		],
	},
	{
		reader: "Lobsters",
		url: "https://lobste.rs/s/abc123/a_title",
		answers: {
			"https://lobste.rs/s/abc123.json": {
				title: "A title",
				url: "https://x.example/",
				score: 4,
				created_at: "2026-01-02T00:00:00Z",
				submitter_user: "ada",
				tags: ["rust"],
				description: "",
				comments: [
					{ commenting_user: "bob", score: 2, depth: 0, comment: "<p>Good</p>" },
					{ commenting_user: "eve", score: 1, depth: 2, comment: "<p>No</p>" },
				],
			},
		},
		title: "A title (Lobsters)",
		includes: ["- Submitted: 2026-01-02 by ada", "**bob** (2): Good", "> **eve** (1): No"],
	},
	{
		reader: "Reddit",
		url: "https://old.reddit.com/r/rust/comments/1abc/a_post/",
		answers: {
			"https://www.reddit.com/r/rust/comments/1abc.json?limit=100&raw_json=1": [
				{
					data: {
						children: [
							{
								data: {
									title: "A post",
									author: "ada",
									score: 7,
									created_utc: 1_767_312_000,
									is_self: true,
									selftext: "Text",
								},
							},
						],
					},
				},
				{
					data: {
						children: [
							{
								data: {
									author: "bob",
									score: 2,
									body: "Yes",
									replies: {
										data: { children: [{ data: { author: "eve", score: 1, body: "No", replies: "" } }] },
									},
								},
							},
						],
					},
				},
			],
		},
		title: "A post",
		includes: ["- Community: r/rust", "Text", "**bob (2)**: Yes\n\n> **eve (1)**: No"],
	},
	{
		reader: "Reddit",
		url: "https://www.reddit.com/r/rust/top",
		answers: {
			"https://www.reddit.com/r/rust/top.json?limit=25&raw_json=1": {
				data: {
					children: [{ data: { title: "T", score: 1, num_comments: 2, permalink: "/r/rust/comments/1/t/" } }],
				},
			},
		},
		title: "r/rust",
		includes: ["- T (1, 2 comments)\n  https://www.reddit.com/r/rust/comments/1/t/"],
	},
	{
		reader: "Discourse",
		url: "https://discuss.python.org/t/a-topic/42/3",
		answers: {
			"https://discuss.python.org/t/42/3.json": {
				title: "A topic",
				posts_count: 1,
				views: 2,
				tags: [{ name: "typing" }],
				post_stream: {
					posts: [{ username: "guido", created_at: "2026-01-02T00:00:00Z", cooked: "<p>Yes</p>" }],
				},
			},
		},
		title: "A topic",
		includes: ["- Tags: typing", "### guido, 2026-01-02\n\nYes"],
	},
	{
		reader: "DEV",
		url: "https://dev.to/ada/a-title-1abc",
		answers: {
			"https://dev.to/api/articles/ada/a-title-1abc": {
				title: "A title",
				user: { name: "Ada" },
				published_at: "2026-01-02T00:00:00Z",
				tags: ["js"],
				body_markdown: "# Hello",
			},
		},
		title: "A title",
		includes: ["- Author: Ada", "# Hello"],
	},
	{
		reader: "Mastodon",
		url: "https://fosstodon.org/@ada/1234",
		answers: {
			"https://fosstodon.org/api/v1/statuses/1234": {
				account: { acct: "ada", display_name: "Ada" },
				created_at: "2026-01-02T00:00:00Z",
				content: "<p>Hello</p>",
				replies_count: 1,
				reblogs_count: 0,
			},
			"https://fosstodon.org/api/v1/statuses/1234/context": {
				descendants: [{ account: { acct: "bob" }, created_at: "2026-01-03T00:00:00Z", content: "<p>Hi</p>" }],
			},
		},
		title: "Post of Ada",
		includes: ["**ada**, 2026-01-02: Hello", "**bob**, 2026-01-03: Hi"],
	},
	{
		reader: "Bluesky",
		url: "https://bsky.app/profile/ada.example/post/3kabc",
		answers: {
			"https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?uri=at%3A%2F%2Fada.example%2Fapp.bsky.feed.post%2F3kabc&depth=6":
				{
					thread: {
						post: {
							author: { handle: "ada.example", displayName: "Ada" },
							record: { text: "Hello", createdAt: "2026-01-02T00:00:00Z" },
							likeCount: 3,
						},
						replies: [{ post: { author: { handle: "bob.example" }, record: { text: "Hi" } } }],
					},
				},
		},
		title: "Post of Ada",
		includes: ["Hello", "**bob.example**: Hi"],
	},
	{
		reader: "Lemmy",
		url: "https://programming.dev/post/77",
		answers: {
			"https://programming.dev/api/v3/post?id=77": {
				post_view: {
					post: { name: "A post", body: "Text", url: "https://x.example/" },
					community: { name: "rust" },
					creator: { name: "ada" },
					counts: { score: 3 },
				},
			},
			"https://programming.dev/api/v3/comment/list?post_id=77&sort=Top&limit=50": {
				comments: [
					{ comment: { content: "Yes", path: "0.1" }, creator: { name: "bob" }, counts: { score: 1 } },
					{ comment: { content: "No", path: "0.1.2" }, creator: { name: "eve" }, counts: { score: 0 } },
				],
			},
		},
		title: "A post",
		includes: ["- Community: rust", "**bob** (1): Yes\n\n> **eve** (0): No"],
	},
	{
		reader: "YouTube",
		url: "https://youtu.be/dQw4w9WgXcQ?t=3",
		answers: {
			"https://www.youtube.com/youtubei/v1/player?prettyPrint=false": {
				videoDetails: {
					title: "A talk",
					author: "Ada",
					lengthSeconds: "3725",
					viewCount: "5",
					shortDescription: "About",
				},
				captions: {
					playerCaptionsTracklistRenderer: {
						captionTracks: [
							{ baseUrl: "https://www.youtube.com/api/timedtext?v=x&lang=de", languageCode: "de" },
							{
								baseUrl: "https://www.youtube.com/api/timedtext?v=x&lang=en",
								languageCode: "en",
								kind: "asr",
							},
						],
					},
				},
			},
			"https://www.youtube.com/api/timedtext?v=x&lang=en&fmt=json3": {
				events: [
					{ tStartMs: 0, segs: [{ utf8: "Hello" }, { utf8: "\nworld" }] },
					{ tStartMs: 31_000, segs: [{ utf8: "later" }] },
					{ tStartMs: 32_000 },
				],
			},
		},
		title: "A talk (YouTube)",
		includes: ["- Length: 01:02:05", "## Transcript (en, generated)\n\n[00:00] Hello world\n\n[00:30] later"],
	},
	{
		reader: "Vimeo",
		url: "https://vimeo.com/76979871",
		answers: {
			"https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F76979871": {
				title: "A film",
				author_name: "Ada",
				type: "video",
				duration: 62,
				upload_date: "2026-01-02",
				description: "About",
			},
		},
		title: "A film (Vimeo)",
		includes: ["- Author: Ada", "About"],
	},
	{
		reader: "Spotify",
		url: "https://open.spotify.com/track/abc",
		answers: {
			"https://open.spotify.com/oembed?url=https%3A%2F%2Fopen.spotify.com%2Ftrack%2Fabc": {
				title: "A song",
				type: "rich",
			},
		},
		title: "A song (Spotify)",
		includes: ["- Kind: rich"],
	},
];
