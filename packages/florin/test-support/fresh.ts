/**
 * Fresh projects of each framework, as its documentation or its generator writes them.
 *
 * @module
 */

export type Files = { readonly [file: string]: string }

export interface Fresh {
  readonly name: string
  readonly files: Files
  /** The packages that a fresh project has installed, and where this repository has them. */
  readonly installed: { readonly [name: string]: string }
  /** What a compiler puts into `dist`. */
  readonly sources?: ReadonlyArray<string>
  readonly entry: string
}

/** As the documentation of Express has it, with a port from the environment. */
export const express: Fresh = {
  name: "Express",
  files: {
    "package.json": `{ "type": "module", "scripts": { "start": "node server.js" }, "dependencies": { "express": "5" } }`,
    "server.js": `import express from 'express'

const app = express()

app.get('/', (req, res) => {
  res.send('Hello World!')
})

app.listen(process.env.PORT, () => {
  console.log('Example app listening')
})
`,
  },
  installed: { express: "examples/embed-in-express/node_modules/express" },
  entry: "server.js",
}

/** As the documentation of Fastify has it. */
export const fastify: Fresh = {
  name: "Fastify",
  files: {
    "package.json": `{ "type": "module", "main": "index.js", "dependencies": { "fastify": "5" } }`,
    "index.js": `// Import the framework and instantiate it
import Fastify from 'fastify'
const fastify = Fastify({
  logger: true
})

// Declare a route
fastify.get('/', async function handler (request, reply) {
  return { hello: 'world' }
})

// Run the server!
try {
  await fastify.listen({ port: Number(process.env.PORT) })
} catch (err) {
  fastify.log.error(err)
  process.exit(1)
}
`,
  },
  installed: { fastify: "examples/embed-in-fastify/node_modules/fastify" },
  entry: "index.js",
}

/** As `npm create hono` makes it for Node. */
export const hono: Fresh = {
  name: "Hono",
  files: {
    "package.json": `{ "type": "module", "scripts": { "dev": "tsx watch src/index.ts" }, "dependencies": { "hono": "4", "@hono/node-server": "2", "pg": "8" } }`,
    "pnpm-lock.yaml": "",
    "tsconfig.json": `{
  "compilerOptions": {
    "target": "ESNext",
    "module": "NodeNext",
    "strict": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true,
    "types": ["node"],
    "rootDir": "src",
    "outDir": "./dist"
  },
  "include": ["src"]
}
`,
    "src/index.ts": `import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()

app.get('/', (c) => {
  return c.text('Hello Hono!')
})

serve({
  fetch: app.fetch,
  port: Number(process.env.PORT)
}, (info) => {
  console.log(\`Server is running on http://localhost:\${info.port}\`)
})
`,
  },
  installed: {
    hono: "examples/embed-in-hono/node_modules/hono",
    "@hono/node-server": "examples/embed-in-hono/node_modules/@hono/node-server",
  },
  sources: ["src/index.ts", "src/florin.ts"],
  entry: "dist/index.js",
}

/** As `npx create-next-app` makes it, with TypeScript and the app router. */
export const next: Files = {
  "package.json": `{ "scripts": { "build": "next build", "start": "next start" }, "dependencies": { "next": "16.4.6", "react": "19.3.1", "react-dom": "19.3.1" }, "devDependencies": { "@types/node": "24.19.2", "@types/react": "19.3.0", "typescript": "5.9.3" } }`,
  "tsconfig.json": `{
  "compilerOptions": {
    "target": "ES2017",
    "lib": ["dom", "dom.iterable", "esnext"],
    "allowJs": true,
    "skipLibCheck": true,
    "strict": true,
    "noEmit": true,
    "esModuleInterop": true,
    "module": "esnext",
    "moduleResolution": "bundler",
    "resolveJsonModule": true,
    "isolatedModules": true,
    "jsx": "react-jsx",
    "incremental": true,
    "plugins": [{ "name": "next" }],
    "paths": { "@/*": ["./*"] }
  },
  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts", ".next/dev/types/**/*.ts"],
  "exclude": ["node_modules"]
}
`,
  "next.config.ts": `import type { NextConfig } from "next";

const nextConfig: NextConfig = {
  /* config options here */
};

export default nextConfig;
`,
  "app/layout.tsx": `export default function RootLayout({ children }: Readonly<{ children: React.ReactNode }>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`,
  "app/page.tsx": `export default function Home() {
  return <main>Hello from Next</main>;
}
`,
}
