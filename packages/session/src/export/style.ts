/** How an exported page looks, by day and by night. */
export const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1d1f23; --dim: #676e79; --line: #d9dce1; --box: #f5f6f8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
	:root { --back: #16181c; --text: #e3e5e8; --dim: #969da8; --line: #353940; --box: #1f2227; --bad: #ff8a80; }
}
body { margin: 2rem auto; max-width: 52rem; padding: 0 1rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 .3rem; font-size: .9rem; color: var(--dim); }
h2 time { font-weight: normal; }
article { margin: 1.2rem 0; }
article.user { padding: .6rem .9rem; background: var(--box); border-radius: .5rem; }
p.fact, p.event { margin: .2rem 0; color: var(--dim); font-size: .85rem; overflow-wrap: anywhere; }
div.text { white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .4rem 0; border-left: 3px solid var(--line); padding-left: .7rem; }
details.failed { border-color: var(--bad); }
details.branch { border-left-style: dashed; }
summary { cursor: pointer; color: var(--dim); overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .6rem; overflow-x: auto; background: var(--box); border-radius: .4rem; font-size: .85rem; }
img { max-width: 100%; }
`;
