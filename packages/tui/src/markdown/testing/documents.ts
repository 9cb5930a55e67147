/** Long documents with every construct of Markdown. */

export const answer = `# How the *renderer* works

It reads **each line once**, and keeps what is \`finished\`. See [the notes](https://example.com/notes "Notes") and
https://example.com/a_b_c; what is ~~old~~ gone is gone &mdash; for ever.\\
A hard break stands here.

Steps:
- one point with **weight** and a very long sentence that certainly has to be wrapped somewhere
- another one
  1. nested and numbered
  2. twice

     with a paragraph of its own
- [ ] to do
- [x] done

7. seven
8. eight

   \`\`\`ts
   const answer: number = 42; // why
   /* a comment
      in two lines */
   export function twice(value: number): string {
   	return \`\${value * 2}\`;
   }
   \`\`\`

> A quote with *emphasis*
> in two lines
>
> > and one inside
> - with a list

| what | before | after |
|:-----|-------:|:-----:|
| lexing | 1,075 ms | **22 ms** |
| layout of a thing with a long name that wraps | 7,200 ms | \`310 ms\` |

Setext
======

![a picture](https://example.com/p.png) and a note[^1].

[^1]: The note itself.

***

<details>
  <summary>HTML</summary>
</details>

    indented code

    with a gap

Another
-------

The [reference][r] is defined before: no. 漢字 and 👩‍👩‍👧 are wide.

~~~
tildes
~~~
last words
`;

/** The same constructs, mixed at random. */
export const pieces = [
	"word ",
	"*",
	"**",
	"`",
	"~~",
	"[",
	"](https://a.b)",
	"\n",
	"\n\n",
	"- ",
	"1. ",
	"> ",
	"# ",
	"```ts\n",
	"```\n",
	"| a | b |\n",
	"|---|---|\n",
	"|",
	"---\n",
	"===\n",
	"    ",
	"<div>",
	"<b>",
	"&amp;",
	"\\",
	"漢字",
	"👩‍👩‍👧",
	"[r]: /x\n",
	"\t",
	"\r\n",
	"\x1b[31m",
	"const x = 1;",
] as const;
