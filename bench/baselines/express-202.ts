import express from 'express';

/** A stock Express server that parses the body and returns 202. It shows the cost of the framework alone. */
const app = express();
app.use(express.json());
app.post('/api/v1/emails', (_request, response) => {
  response.status(202).json({ object: 'email', status: 'queued' });
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
